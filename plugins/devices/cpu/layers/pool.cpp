#include "plugins/devices/cpu/layers/pool.hpp"

#include "plugins/devices/cpu/layers/activation_planes.hpp"
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

// A byte per element of the result's planes.
Desc record_of(const Desc& result) {
  const auto block = static_cast<dnnl::memory::dim>(plane_block(result));
  const dnnl::memory::dims dims = result.dims();
  const dnnl::memory::dim blocks = (dims[1] + block - 1) / block;
  return {{dims[0] * blocks * block * dims[2] * dims[3]}, dnnl::memory::data_type::u8, Tag::x};
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
  const std::size_t block = plane_block(source);
  if (block == 0 || shape.kernel_height * shape.kernel_width > BlockedPool::kMostCells) {
    return library_.forward(builder, node);
  }
  const std::size_t channels = builder.plan(plan.inputs[0]).node->channels;
  const std::size_t planes = builder.compilation().batch * ((channels + block - 1) / block);
  own_ = std::make_shared<const BlockedPool>(shape, planes, block);
  own_forward(builder, node);
}

void Pool::own_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const dnnl::memory read = builder.read(plan.inputs[0]);
  const std::size_t block = plane_block(read.get_desc());
  const Desc result =
      is_bf16(read.get_desc())
          ? builder.channels_last(node)
          : Desc(builder.dims(node), dnnl::memory::data_type::f32, blocked_activations(block));
  const dnnl::memory write = builder.define(node, result);
  const ActivationPlanes from(builder, read, block);
  const ActivationPlanes to(builder, write, block);
  if (!takes_maximum(plan)) {
    return builder.then([pool = own_, from, to](const TaskContext&) {
      pool->average_forward(from.planes(), to.planes());
    });
  }
  dnnl::memory record;
  if (!builder.inference() && plan.needs_gradient) {
    record_ = builder.keep(record_of(result));
    record = builder.kept(record_of(result), record_);
  }
  builder.then([pool = own_, from, to, record](const TaskContext&) {
    pool->max_forward(from.planes(), to.planes(), record ? bytes_of(record) : nullptr);
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
  const std::size_t block = plane_block(gradient.get_desc());
  const ActivationPlanes from(builder, gradient, block);
  const ActivationPlanes to(builder, part.memory, block);
  if (takes_maximum(plan)) {
    const dnnl::memory record = builder.kept(record_of(gradient.get_desc()), record_);
    builder.then([pool = own_, from, to, record, adds = part.adds](const TaskContext&) {
      pool->max_backward(from.planes(), bytes_of(record), to.planes(), adds);
    });
  } else {
    builder.then([pool = own_, from, to, adds = part.adds](const TaskContext&) {
      pool->average_backward(from.planes(), to.planes(), adds);
    });
  }
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
