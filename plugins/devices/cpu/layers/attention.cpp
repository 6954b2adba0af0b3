#include "plugins/devices/cpu/layers/layers.hpp"

#include <cmath>

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Dim = dnnl::memory::dim;

constexpr int kWeightsAxis = 3;

// [image, head, cell, channel of the head], the order of activations with channels last.
struct Heads {
  Dim images, heads, cells, width;
  dnnl::memory::data_type type;

  Heads(const ProgramBuilder& builder, std::size_t node)
      : images(builder.dims(node)[0]),
        heads(builder.plan(node).node->layer->groups),
        cells(builder.dims(node)[2] * builder.dims(node)[3]),
        width(builder.dims(node)[1] / heads),
        type(builder.stores_bf16() ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32) {
  }

  // Part number `part` of cells that have `parts` of them next to each other.
  Desc part(Dim part, Dim parts) const {
    const Dim row = parts * heads * width;
    const Desc all({images, parts * heads, cells, width}, type,
                   dnnl::memory::dims{cells * row, width, row, 1});
    return all.submemory_desc({images, heads, cells, width}, {0, part * heads, 0, 0});
  }
  Desc result() const { return part(0, 1); }
  // [image, head, cell, cell that it attends to]: in f32 for the softmax, and in the type for the
  // products.
  Desc scores() const {
    return {{images, heads, cells, cells},
            dnnl::memory::data_type::f32,
            dnnl::memory::format_tag::abcd};
  }
  Desc weights() const {
    return {{images, heads, cells, cells}, type, dnnl::memory::format_tag::abcd};
  }
  double scale() const { return 1.0 / std::sqrt(static_cast<double>(width)); }
};

// The description with consecutive cells, in the type of activations.
Desc side_by_side(const ProgramBuilder& builder, std::size_t node) {
  return {builder.dims(node), Heads(builder, node).type, dnnl::memory::format_tag::nhwc};
}

Desc input_desc(const ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  return {builder.dims(input), Heads(builder, node).type, dnnl::memory::format_tag::nhwc};
}

dnnl::memory transposed(ProgramBuilder& builder, const dnnl::memory& matrices) {
  return builder.view(matrices, matrices.get_desc().permute_axes({0, 1, 3, 2}));
}

// to <- scale * a b, for every image and head.
void append_product(ProgramBuilder& builder, const dnnl::memory& a, const dnnl::memory& b,
                    const dnnl::memory& to, double scale = 1.0) {
  dnnl::primitive_attr attributes = shared_scratchpad();
  if (scale != 1.0) {
    dnnl::post_ops operations;
    append_eltwise(operations, dnnl::algorithm::eltwise_linear, static_cast<float>(scale), 0.0f);
    attributes.set_post_ops(operations);
  }
  const auto description = describe<dnnl::matmul>(builder.engine(), attributes, a.get_desc(),
                                                  b.get_desc(), to.get_desc());
  builder.then(dnnl::matmul(description),
               {{DNNL_ARG_SRC, a},
                {DNNL_ARG_WEIGHTS, b},
                {DNNL_ARG_DST, to},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
}

struct Parts {
  dnnl::memory queries, keys, values;

  Parts(ProgramBuilder& builder, const Heads& heads, const dnnl::memory& all)
      : queries(builder.view(all, heads.part(0, 3))),
        keys(builder.view(all, heads.part(1, 3))),
        values(builder.view(all, heads.part(2, 3))) {}
};

}  // namespace

void Attention::build_forward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const Heads heads(builder, node);
  const Parts parts(builder, heads, builder.read_as(input, input_desc(builder, node)));
  weights_ = builder.keep(heads.weights());
  const dnnl::memory weights = builder.kept(heads.weights(), weights_);
  const bool narrows = builder.stores_bf16();
  const dnnl::memory scores = narrows ? builder.temporary(heads.scores()) : weights;
  append_product(builder, parts.queries, transposed(builder, parts.keys), scores, heads.scale());
  softmax_ = describe<dnnl::softmax_forward>(
      builder.engine(), shared_scratchpad(), builder.forward_kind(),
      dnnl::algorithm::softmax_accurate, heads.scores(), heads.scores(), kWeightsAxis);
  builder.then(dnnl::softmax_forward(softmax_),
               {{DNNL_ARG_SRC, scores},
                {DNNL_ARG_DST, scores},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(softmax_.scratchpad_desc())}});
  if (narrows) builder.reorder(scores, weights);
  builder.round(weights);
  const dnnl::memory result = builder.define(node, side_by_side(builder, node));
  append_product(builder, weights, parts.values, builder.view(result, heads.result()));
}

// Computes the gradient of the scores, in the type for the products, from that of the result.
dnnl::memory Attention::differentiate_softmax(ProgramBuilder& builder, std::size_t node,
                                              const dnnl::memory& gradient,
                                              const dnnl::memory& values) {
  const Heads heads(builder, node);
  const dnnl::memory weights = builder.kept(heads.weights(), weights_);
  const bool narrows = builder.stores_bf16();
  const dnnl::memory wide = narrows ? builder.temporary(heads.scores()) : weights;
  if (narrows) builder.reorder(weights, wide);
  dnnl::memory of_scores = builder.temporary(heads.scores());
  append_product(builder, gradient, transposed(builder, values), of_scores);
  const auto description = describe_gradient<dnnl::softmax_backward>(
      builder.engine(), shared_scratchpad(), softmax_, dnnl::algorithm::softmax_accurate,
      heads.scores(), heads.scores(), heads.scores(), kWeightsAxis);
  builder.then(dnnl::softmax_backward(description),
               {{DNNL_ARG_DST, wide},
                {DNNL_ARG_DIFF_DST, of_scores},
                {DNNL_ARG_DIFF_SRC, of_scores},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
  if (!narrows) return of_scores;
  dnnl::memory narrow = builder.temporary(heads.weights());
  builder.reorder(of_scores, narrow);
  return narrow;
}

void Attention::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  if (!builder.plan(input).needs_gradient) return;
  const Heads heads(builder, node);
  const Desc whole = input_desc(builder, node);
  const Parts parts(builder, heads, builder.read_as(input, whole));
  const dnnl::memory weights = builder.kept(heads.weights(), weights_);
  const dnnl::memory gradient =
      builder.view(builder.gradient_as(node, side_by_side(builder, node)), heads.result());
  const GradientPart write = builder.begin_gradient(input, whole);
  const Parts gradients(builder, heads, write.memory);
  append_product(builder, transposed(builder, weights), gradient, gradients.values);
  const dnnl::memory of_scores = differentiate_softmax(builder, node, gradient, parts.values);
  append_product(builder, of_scores, parts.keys, gradients.queries, heads.scale());
  append_product(builder, transposed(builder, of_scores), parts.queries, gradients.keys,
                 heads.scale());
  builder.finish_gradient(input, write);
}

}  // namespace convoy::cpu
