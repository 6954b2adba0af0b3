#include "plugins/devices/cpu/layers/transposed_convolution.hpp"

#include <algorithm>

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/layers/layer_windows.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

constexpr auto kBf16 = dnnl::memory::data_type::bf16;
using Tag = dnnl::memory::format_tag;

// A cell of the result reads the cells that read it in the forward pass.
dnnl::memory::dims turned_padding(const convoy_layer& layer, std::uint32_t vertical,
                                  std::uint32_t horizontal) {
  return {dnnl::memory::dim{layer.kernel_height} - 1 - vertical,
          dnnl::memory::dim{layer.kernel_width} - 1 - horizontal};
}

dnnl::convolution_forward::primitive_desc describe_transposed(const ProgramBuilder& builder,
                                                              std::size_t node) {
  const convoy_node& here = *builder.plan(node).node;
  const convoy_node& input = *builder.plan(builder.plan(node).inputs[0]).node;
  const convoy_layer& layer = *here.layer;
  const bool one_tap = layer.kernel_height * layer.kernel_width == 1;
  const dnnl::memory::dims result = builder.dims(node);
  const dnnl::memory::dims read = {result[0], input.channels, one_tap ? here.height : input.height,
                                   one_tap ? here.width : input.width};
  const Desc weights({input.channels, here.channels, layer.kernel_height, layer.kernel_width},
                     kBf16, Tag::any);
  const dnnl::memory::dims strides = {1, 1};
  return describe<dnnl::convolution_forward>(
      builder.engine(), shared_scratchpad(), dnnl::prop_kind::forward_inference,
      dnnl::algorithm::convolution_direct, Desc(result, kBf16, Tag::nhwc), weights,
      Desc(read, kBf16, Tag::nhwc), strides, turned_padding(layer, here.pad_top, here.pad_left),
      turned_padding(layer, here.pad_bottom, here.pad_right));
}

bool suits(const ProgramBuilder& builder, const convoy_node& node) {
  const convoy_layer& layer = *node.layer;
  if (!builder.stores_bf16() || layer.groups > 1 || is_dilated(layer)) return false;
  const bool one_tap = layer.kernel_height * layer.kernel_width == 1;
  if (one_tap) return std::max({node.pad_top, node.pad_left, node.pad_bottom, node.pad_right}) == 0;
  // Square filters of 3x3 were measured to be as fast either way.
  const bool line = layer.kernel_height == 1 || layer.kernel_width == 1;
  return line && std::max(layer.stride_height, layer.stride_width) == 1 &&
         std::max(node.pad_top, node.pad_bottom) < layer.kernel_height &&
         std::max(node.pad_left, node.pad_right) < layer.kernel_width;
}

// Writes the cells of a smaller image to every stride-th cell of a larger one; the others become
// zeros.
struct Spread {
  std::size_t images, height, width, channels;  // of the larger image
  std::size_t rows, columns;                    // of the smaller one
  std::size_t row_stride, column_stride;

  void row(const Bf16* from, Bf16* to, std::size_t index) const {
    const std::size_t image = index / height;
    const std::size_t y = index % height;
    Bf16* const line = to + index * width * channels;
    std::fill_n(line, width * channels, Bf16{0});
    if (y % row_stride != 0 || y / row_stride >= rows) return;
    const Bf16* const source = from + (image * rows + y / row_stride) * columns * channels;
    for (std::size_t x = 0; x < columns; ++x) {
      std::copy_n(source + x * channels, channels, line + x * column_stride * channels);
    }
  }
};

Task spread_task(const ProgramBuilder& builder, std::size_t node, const dnnl::memory& from,
                 const dnnl::memory& to) {
  const convoy_node& here = *builder.plan(node).node;
  const convoy_node& input = *builder.plan(builder.plan(node).inputs[0]).node;
  const Spread spread{builder.compilation().batch,
                      input.height,
                      input.width,
                      input.channels,
                      here.height,
                      here.width,
                      here.layer->stride_height,
                      here.layer->stride_width};
  return [=](const TaskContext&) {
    parallel_indices(spread.images * spread.height,
                     [&](std::size_t row) { spread.row(halves_of(from), halves_of(to), row); });
  };
}

}  // namespace

bool build_transposed_convolution(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  if (!suits(builder, *plan.node)) return false;
  const auto description = describe_transposed(builder, node);
  if (!ProgramBuilder::fills_blocks(description.weights_desc())) return false;
  const dnnl::memory weights =
      builder.transposed_weights(plan.node->variables[0], description.weights_desc());
  const dnnl::memory gradient = builder.gradient_as(node, description.src_desc());
  const GradientPart part = builder.begin_gradient(input, builder.channels_last(input));
  const convoy_layer& layer = *plan.node->layer;
  const bool strided = std::max(layer.stride_height, layer.stride_width) > 1;
  const dnnl::memory result = strided ? builder.temporary(description.dst_desc()) : part.memory;
  builder.then(dnnl::convolution_forward(description),
               {{DNNL_ARG_SRC, gradient},
                {DNNL_ARG_WEIGHTS, weights},
                {DNNL_ARG_DST, result},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
  if (strided) builder.help(spread_task(builder, node, result, part.memory), "spread");
  builder.finish_gradient(input, part);
  return true;
}

}  // namespace convoy::cpu
