#include "plugins/devices/cpu/layers/pool.hpp"

#include "plugins/devices/cpu/layers/channel_block.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
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

// Returns null if the library computes: for other layouts, and for windows with more cells than a
// byte can count.
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

struct Window {
  dnnl::algorithm algorithm;
  dnnl::memory::dims strides, kernel, dilation, padding_before, padding_after;
};

Window window_of(const convoy_node& node) {
  const convoy_layer& layer = *node.layer;
  return {layer.kind == CONVOY_LAYER_MAX_POOL ? dnnl::algorithm::pooling_max
                                              : dnnl::algorithm::pooling_avg_exclude_padding,
          {layer.stride_height, layer.stride_width},
          {layer.kernel_height, layer.kernel_width},
          {0, 0},
          {node.pad_top, node.pad_left},
          {node.pad_bottom, node.pad_right}};
}

Desc result_like(const Desc& source, const dnnl::memory::dims& dims) {
  return {dims, type_of(source),
          is_bf16(source) ? dnnl::memory::format_tag::nhwc : dnnl::memory::format_tag::any};
}

bool has_record(const dnnl::pooling_forward::primitive_desc& description) {
  return description.workspace_desc().get_size() > 0;
}

}  // namespace

void LibraryPool::forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Window window = window_of(*plan.node);
  forward_ = describe<dnnl::pooling_forward>(
      builder.engine(), shared_scratchpad(), builder.forward_kind(), window.algorithm,
      builder.desc(input), result_like(builder.desc(input), builder.dims(node)), window.strides,
      window.kernel, window.dilation, window.padding_before, window.padding_after);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.read(input)},
      {DNNL_ARG_DST, builder.define(node, forward_.dst_desc())},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}};
  if (has_record(forward_)) {
    record_ = builder.keep(forward_.workspace_desc());
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::pooling_forward(forward_), arguments);
}

void LibraryPool::backward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  if (!builder.plan(input).needs_gradient) return;
  const Window window = window_of(*plan.node);
  const auto description = describe_gradient<dnnl::pooling_backward>(
      builder.engine(), shared_scratchpad(), forward_, window.algorithm, builder.desc(input),
      builder.desc(node), window.strides, window.kernel, window.dilation, window.padding_before,
      window.padding_after);
  const dnnl::memory gradient = builder.gradient(node);
  const GradientPart part = builder.begin_gradient(input, builder.desc(input));
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_DIFF_DST, gradient},
      {DNNL_ARG_DIFF_SRC, part.memory},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}};
  if (has_record(forward_)) {
    arguments[DNNL_ARG_WORKSPACE] = builder.kept(forward_.workspace_desc(), record_);
  }
  builder.then(dnnl::pooling_backward(description), arguments);
  builder.finish_gradient(input, part);
}

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
