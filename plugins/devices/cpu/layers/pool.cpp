#include "plugins/devices/cpu/layers/pool.hpp"

#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

PlaneWindows plane_of(const convoy_node& node, const convoy_node& input) {
  const convoy_layer& layer = *node.layer;
  return {.in_height = input.height,
          .in_width = input.width,
          .out_height = node.height,
          .out_width = node.width,
          .kernel_height = layer.kernel_height,
          .kernel_width = layer.kernel_width,
          .stride_height = layer.stride_height,
          .stride_width = layer.stride_width,
          .pad_top = node.pad_top,
          .pad_left = node.pad_left};
}

// A byte per element of the result, padding included.
Desc record_of(const Desc& result) {
  const auto elements = static_cast<dnnl::memory::dim>(result.get_size() / sizeof(float));
  return {{elements}, dnnl::memory::data_type::u8, Tag::x};
}

std::uint8_t* bytes_of(const dnnl::memory& memory) {
  return static_cast<std::uint8_t*>(memory.get_data_handle());
}

bool takes_maximum(const NodePlan& plan) {
  return plan.node->layer->kind == CONVOY_LAYER_MAX_POOL;
}

}  // namespace

void Pool::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const Desc& source = builder.desc(plan.inputs[0]);
  const PlaneWindows shape = plane_of(*plan.node, *builder.plan(plan.inputs[0]).node);
  const std::size_t block = channel_block(source);
  if (block == 0 || shape.kernel_height * shape.kernel_width > BlockedPool::kMostCells) {
    return library_.forward(builder, node);
  }
  const std::size_t planes =
      source.get_size() / sizeof(float) / block / (shape.in_height * shape.in_width);
  own_ = std::make_shared<const BlockedPool>(shape, planes, block);
  own_forward(builder, node);
}

void Pool::own_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const dnnl::memory read = builder.read(plan.inputs[0]);
  const Tag tag = blocked_activations(channel_block(read.get_desc()));
  const Desc result(builder.dims(node), dnnl::memory::data_type::f32, tag);
  const dnnl::memory write = builder.define(node, result);
  if (!takes_maximum(plan)) {
    return builder.then([pool = own_, read, write](const TaskContext&) {
      pool->average_forward(floats_of(read), floats_of(write));
    });
  }
  dnnl::memory record;
  if (!builder.inference() && plan.needs_gradient) {
    record_ = builder.keep(record_of(result));
    record = builder.kept(record_of(result), record_);
  }
  builder.then([pool = own_, read, write, record](const TaskContext&) {
    pool->max_forward(floats_of(read), floats_of(write), record ? bytes_of(record) : nullptr);
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
    const dnnl::memory record = builder.kept(record_of(gradient.get_desc()), record_);
    builder.then([pool = own_, gradient, record, part](const TaskContext&) {
      pool->max_backward(floats_of(gradient), bytes_of(record), floats_of(part.memory), part.adds);
    });
  } else {
    builder.then([pool = own_, gradient, part](const TaskContext&) {
      pool->average_backward(floats_of(gradient), floats_of(part.memory), part.adds);
    });
  }
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
