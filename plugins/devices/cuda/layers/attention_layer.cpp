#include <cmath>

#include "plugins/devices/cuda/kernels/row_softmax.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/layers/shared_product.hpp"

namespace convoy::cuda {
namespace {

constexpr const char* kAttentionProduct = "cuBLASLt";

// Matrices of all heads of all images, consecutive in memory: queries, keys, values and results are
// [cell][channel of the head], weights are [cell][cell that it attends to].
struct HeadSizes {
  std::uint64_t images, heads, cells, width;
  Type type;

  std::uint64_t matrices() const { return images * heads; }
  std::uint64_t elements() const { return matrices() * cells * width; }
  std::uint64_t weights() const { return matrices() * cells * cells; }
  float scale() const { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(width))); }

  // Converts from activations with `parts` of these matrices side by side in every cell.
  Permutation to_matrices(std::uint64_t parts) const {
    const std::uint64_t row = parts * heads * width;
    return {{static_cast<std::uint32_t>(images), static_cast<std::uint32_t>(heads),
             static_cast<std::uint32_t>(cells), static_cast<std::uint32_t>(width)},
            {heads * cells * width, cells * width, width, 1},
            {cells * row, width, row, 1}};
  }
};

Permutation reversed(Permutation order) {
  std::swap(order.write_strides, order.read_strides);
  return order;
}

HeadSizes head_sizes(const ProgramBuilder& builder, std::size_t node) {
  const std::uint64_t heads = builder.layer(node).groups;
  return {builder.batch(), heads, builder.cells(node), builder.shape(node).channels / heads,
          builder.type()};
}

// Copies one part of an activation to matrices in memory of their own.
MemoryPlan::Id take_part(ProgramBuilder& builder, const HeadSizes& sizes, MemoryPlan::Id from,
                         std::uint64_t part, std::uint64_t parts) {
  const std::size_t bytes = bytes_of(sizes.type);
  const MemoryPlan::Id matrices = builder.temporary(sizes.elements() * bytes);
  const std::uint64_t first = part * sizes.heads * sizes.width * bytes;
  builder.help(
      [=, order = sizes.to_matrices(parts)](const Run& run) {
        permute(run.stream, run.at(matrices), sizes.type,
                static_cast<const std::byte*>(run.at(from)) + first, sizes.type, order);
      },
      "activation to matrices of heads");
  return matrices;
}

void put_part(ProgramBuilder& builder, const HeadSizes& sizes, MemoryPlan::Id matrices,
              MemoryPlan::Id to, std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t first = part * sizes.heads * sizes.width * bytes_of(sizes.type);
  builder.help(
      [=, order = reversed(sizes.to_matrices(parts))](const Run& run) {
        permute(run.stream, static_cast<std::byte*>(run.at(to)) + first, sizes.type,
                run.at(matrices), sizes.type, order);
      },
      "matrices of heads to activation");
}

enum class Weights { kAsTheyAre, kTransposed };

// d[m, cells] <- a[m, k] * b[k, cells] for every head, column-major.
struct HeadProduct {
  std::uint64_t m, k;
  bool transposes_a = false;
  bool transposes_b = false;
  MemoryPlan::Id a, b, d;
  Type result;
};

void append_product(ProgramBuilder& builder, const HeadSizes& sizes, const HeadProduct& it) {
  const SharedProduct product =
      plan_product(builder, {.m = it.m,
                             .n = sizes.cells,
                             .k = it.k,
                             .transposes_a = it.transposes_a,
                             .transposes_b = it.transposes_b,
                             .factors = sizes.type,
                             .result = it.result,
                             .tf32 = false,
                             .has_bias = false,
                             .relu = false,
                             .aligned = it.m % 8 == 0 && it.k % 8 == 0 && sizes.cells % 8 == 0,
                             .batch = sizes.matrices()});
  builder.then(
      [=](const Run& run) {
        (*product)->run(run.stream, run.at(it.a), run.at(it.b), run.at(it.d), nullptr, run.scratch);
      },
      kAttentionProduct);
}

// MatrixProduct is column-major; these three functions use rows of cells.

// [cell][cell] <- rows * columns^T, sums over channels, in f32.
MemoryPlan::Id compare(ProgramBuilder& builder, const HeadSizes& sizes, MemoryPlan::Id rows,
                       MemoryPlan::Id columns) {
  const MemoryPlan::Id result = builder.temporary(sizes.weights() * sizeof(float));
  append_product(builder, sizes,
                 {.m = sizes.cells,
                  .k = sizes.width,
                  .transposes_a = true,
                  .a = columns,
                  .b = rows,
                  .d = result,
                  .result = Type::kFloat});
  return result;
}

// [cell][channel] <- weights * of, or weights^T * of.
MemoryPlan::Id mix(ProgramBuilder& builder, const HeadSizes& sizes, MemoryPlan::Id weights,
                   MemoryPlan::Id of, Weights as) {
  const MemoryPlan::Id result = builder.temporary(sizes.elements() * bytes_of(sizes.type));
  append_product(builder, sizes,
                 {.m = sizes.width,
                  .k = sizes.cells,
                  .transposes_b = as == Weights::kTransposed,
                  .a = of,
                  .b = weights,
                  .d = result,
                  .result = sizes.type});
  return result;
}

}  // namespace

void forward_attention(ProgramBuilder& builder, std::size_t node) {
  const HeadSizes sizes = head_sizes(builder, node);
  const MemoryPlan::Id input = builder.read(builder.node(node).inputs[0]);
  const MemoryPlan::Id queries = take_part(builder, sizes, input, 0, 3);
  const MemoryPlan::Id keys = take_part(builder, sizes, input, 1, 3);
  const MemoryPlan::Id values = take_part(builder, sizes, input, 2, 3);
  const MemoryPlan::Id scores = compare(builder, sizes, queries, keys);
  const MemoryPlan::Id weights = builder.temporary(sizes.weights() * bytes_of(sizes.type));
  builder.notes(node).first = weights;
  builder.then([=](const Run& run) {
    row_softmax(run.stream, sizes.type, run.at(weights), run.floats_at(scores), sizes.scale(),
                sizes.matrices() * sizes.cells, static_cast<std::uint32_t>(sizes.cells));
  });
  const MemoryPlan::Id result = mix(builder, sizes, weights, values, Weights::kAsTheyAre);
  put_part(builder, sizes, result, builder.define(node), 0, 1);
}

// Copies queries, keys and values from the activation again, which is cheaper than keeping them.
void backward_attention(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const HeadSizes sizes = head_sizes(builder, node);
  const MemoryPlan::Id read = builder.read(input);
  const MemoryPlan::Id weights = builder.used(*builder.notes(node).first);
  const MemoryPlan::Id gradient = take_part(builder, sizes, builder.gradient(node), 0, 1);
  const MemoryPlan::Id write = builder.begin_whole_gradient(input);
  put_part(builder, sizes, mix(builder, sizes, weights, gradient, Weights::kTransposed), write, 2,
           3);
  const MemoryPlan::Id values = take_part(builder, sizes, read, 2, 3);
  const MemoryPlan::Id of_weights = compare(builder, sizes, gradient, values);
  const MemoryPlan::Id scores = builder.temporary(sizes.weights() * bytes_of(sizes.type));
  builder.then([=](const Run& run) {
    row_softmax_backward(run.stream, sizes.type, run.at(scores), run.floats_at(of_weights),
                         run.at(weights), sizes.scale(), sizes.matrices() * sizes.cells,
                         static_cast<std::uint32_t>(sizes.cells));
  });
  const MemoryPlan::Id keys = take_part(builder, sizes, read, 1, 3);
  put_part(builder, sizes, mix(builder, sizes, scores, keys, Weights::kAsTheyAre), write, 0, 3);
  const MemoryPlan::Id queries = take_part(builder, sizes, read, 0, 3);
  put_part(builder, sizes, mix(builder, sizes, scores, queries, Weights::kTransposed), write, 1, 3);
  builder.finish_gradient(input, write);
}

}  // namespace convoy::cuda
