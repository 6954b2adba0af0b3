#include "plugins/devices/cpu/layers/pointwise_backward_data.hpp"

#include <algorithm>

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/program_builder.hpp"
#include "plugins/devices/cpu/team.hpp"

namespace convoy::cpu {
namespace {

constexpr auto kBf16 = dnnl::memory::data_type::bf16;
using Tag = dnnl::memory::format_tag;

dnnl::convolution_forward::primitive_desc transposed_convolution(const ProgramBuilder& builder,
                                                                 std::size_t node) {
  const convoy_node& here = *builder.plan(node).node;
  const dnnl::memory::dim inputs = builder.plan(builder.plan(node).inputs[0]).node->channels;
  const dnnl::memory::dims result = builder.dims(node);
  const Desc from(result, kBf16, Tag::nhwc);
  const Desc to({result[0], inputs, result[2], result[3]}, kBf16, Tag::nhwc);
  const Desc weights({inputs, here.channels, 1, 1}, kBf16, Tag::any);
  return {{dnnl::prop_kind::forward_inference,
           dnnl::algorithm::convolution_direct,
           from,
           weights,
           to,
           {1, 1},
           {0, 0},
           {0, 0}},
          shared_scratchpad(),
          builder.engine()};
}

// Cells of a result for every stride-th cell of a larger image; the others are zeros.
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

bool suits_pointwise_backward_data(const ProgramBuilder& builder, std::size_t node) {
  const convoy_node& here = *builder.plan(node).node;
  const convoy_layer& layer = *here.layer;
  return builder.stores_bf16() && layer.groups <= 1 && layer.kernel_height == 1 &&
         layer.kernel_width == 1 &&
         std::max({here.pad_top, here.pad_left, here.pad_bottom, here.pad_right}) == 0;
}

void build_pointwise_backward_data(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const auto description = transposed_convolution(builder, node);
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
}

}  // namespace convoy::cpu
