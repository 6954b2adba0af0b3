#include "plugins/devices/cpu/layers/library_pool.hpp"

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

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

}  // namespace convoy::cpu
