#include "plugins/devices/cpu/layers/pool.hpp"

#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"
#include "plugins/devices/cpu/pools/blocked_pool.hpp"
#include "plugins/devices/cpu/pools/channels_last_pool.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

std::uint8_t* positions_of(const dnnl::memory& memory) {
  return static_cast<std::uint8_t*>(memory.get_data_handle());
}

bool takes_maximum(const NodePlan& plan) {
  return plan.node->layer->kind == CONVOY_LAYER_MAX_POOL;
}

// Null where the library computes: other layouts, and windows whose cells a byte cannot count.
std::shared_ptr<const PoolAlgorithm> own_algorithm(const ProgramBuilder& builder,
                                                   std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const convoy_node& input = *builder.plan(plan.inputs[0]).node;
  const Desc& source = builder.desc(plan.inputs[0]);
  const PlaneWindows shape = windows_of(*plan.node, input);
  const std::size_t images = builder.compilation().batch;
  if (shape.kernel_height * shape.kernel_width > PoolAlgorithm::kMostCells) return nullptr;
  if (has_channels_last(source)) {
    return std::make_shared<const ChannelsLastPool>(shape, images, input.channels);
  }
  const std::size_t block = channel_block(source);
  if (block == 0) return nullptr;
  const std::size_t planes = images * ((input.channels + block - 1) / block);
  return std::make_shared<const BlockedPool>(shape, planes, block);
}

Desc result_of(const ProgramBuilder& builder, std::size_t node) {
  const Desc& source = builder.desc(builder.plan(node).inputs[0]);
  if (has_channels_last(source)) return builder.channels_last(node);
  return {builder.dims(node), dnnl::memory::data_type::f32,
          blocked_activations(channel_block(source))};
}

Desc record_of(const PoolAlgorithm& pool) {
  return {
      {static_cast<dnnl::memory::dim>(pool.record_bytes())}, dnnl::memory::data_type::u8, Tag::x};
}

}  // namespace

void Pool::build_forward(ProgramBuilder& builder, std::size_t node) {
  own_ = own_algorithm(builder, node);
  if (own_) {
    own_forward(builder, node);
  } else {
    library_.forward(builder, node);
  }
}

void Pool::own_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const dnnl::memory read = builder.read(plan.inputs[0]);
  const dnnl::memory write = builder.define(node, result_of(builder, node));
  if (!takes_maximum(plan)) {
    return builder.then([pool = own_, read, write](const TaskContext&) {
      pool->average_forward(read.get_data_handle(), write.get_data_handle());
    });
  }
  dnnl::memory record;
  if (!builder.inference() && plan.needs_gradient) {
    record_ = builder.keep(record_of(*own_));
    record = builder.kept(record_of(*own_), record_);
  }
  builder.then([pool = own_, read, write, record](const TaskContext&) {
    pool->max_forward(read.get_data_handle(), write.get_data_handle(),
                      record ? positions_of(record) : nullptr);
  });
}

void Pool::build_backward(ProgramBuilder& builder, std::size_t node) {
  if (!builder.plan(builder.plan(node).inputs[0]).needs_gradient) return;
  if (own_) {
    own_backward(builder, node);
  } else {
    library_.backward(builder, node);
  }
}

void Pool::own_backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const dnnl::memory gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient_addition(input);
  if (takes_maximum(plan)) {
    const dnnl::memory record = builder.kept(record_of(*own_), record_);
    builder.then([pool = own_, gradient, record, part](const TaskContext&) {
      pool->max_backward(gradient.get_data_handle(), positions_of(record),
                         part.memory.get_data_handle(), part.adds);
    });
  } else {
    builder.then([pool = own_, gradient, part](const TaskContext&) {
      pool->average_backward(gradient.get_data_handle(), part.memory.get_data_handle(), part.adds);
    });
  }
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
