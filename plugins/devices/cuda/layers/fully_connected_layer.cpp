#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/layers/shared_product.hpp"
#include "plugins/devices/cuda/libraries/convolution.hpp"

namespace convoy::cuda {
namespace {

constexpr const char* kCublas = "cuBLASLt";

constexpr std::uint64_t kMatrixAlignment = 4;

// A layer as matrices. Images are the columns, so the memory order is [image][element].
struct Sizes {
  std::uint64_t batch, inputs, outputs;
  std::uint32_t in_channels, in_height, in_width;
  bool needs_order;  // the input must be converted to channel, row, column order

  // Converts from NHWC to [image, channel, row, column].
  Permutation order() const {
    const std::uint64_t cells = std::uint64_t{in_height} * in_width;
    return {{static_cast<std::uint32_t>(batch), in_channels, in_height, in_width},
            {inputs, cells, in_width, 1},
            {inputs, 1, std::uint64_t{in_width} * in_channels, in_channels}};
  }
};

Sizes sizes_of(const ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  const convoy_node& in = builder.shape(input);
  return {builder.batch(),
          builder.elements(input) / builder.batch(),
          builder.shape(node).channels,
          in.channels,
          in.height,
          in.width,
          builder.cells(input) > 1 && in.channels > 1};
}

VariablePlace weights_of(const ProgramBuilder& builder, std::size_t node) {
  const VariablePlace place = *builder.variable(node, 0);
  const convoy_layout& layout = place.variable->layout;
  const std::uint64_t inputs = place.variable->dimensions[1];
  if (layout.inner_blocks == 0 && layout.strides[1] == 1 && layout.strides[0] == inputs)
    return place;
  throw std::invalid_argument(std::string("cuda device: no implementation of this storage of a "
                                          "fully connected layer yet, as variable ") +
                              place.variable->name + " has it");
}

bool is_aligned(const VariablePlace& place, const Sizes& sizes) {
  return place.first % kMatrixAlignment == 0 && sizes.inputs % kMatrixAlignment == 0 &&
         sizes.outputs % kMatrixAlignment == 0;
}

// Returns the input as [image][element].
MemoryPlan::Id flat_input(ProgramBuilder& builder, std::size_t node, const Sizes& sizes) {
  const MemoryPlan::Id input = builder.read(builder.node(node).inputs[0]);
  if (!sizes.needs_order) return input;
  const Type type = builder.type();
  const MemoryPlan::Id flat = builder.temporary(sizes.batch * sizes.inputs * bytes_of(type));
  builder.notes(node).first = flat;
  builder.help(
      [=, order = sizes.order()](const Run& run) {
        permute(run.stream, run.at(flat), type, run.at(input), type, order);
      },
      "input to channel, row, column");
  return flat;
}

// Returns a copy of the weights in the type of activations; nothing if they have that type already.
std::optional<MemoryPlan::Id> narrow_weights(ProgramBuilder& builder, std::size_t node,
                                             const VariablePlace& place, const Sizes& sizes) {
  const Type type = builder.type();
  if (type == Type::kFloat) return std::nullopt;
  const std::uint64_t count = sizes.inputs * sizes.outputs;
  const MemoryPlan::Id narrow = builder.temporary(count * bytes_of(type));
  builder.notes(node).second = narrow;
  builder.help(
      [=, first = place.first](const Run& run) {
        cast(run.stream, run.at(narrow), type, run.parameter(first), Type::kFloat, count);
      },
      "weights from f32");
  return narrow;
}

const void* weights_at(const Run& run, const std::optional<MemoryPlan::Id>& narrow,
                       std::uint64_t first) {
  return narrow ? run.at(*narrow) : run.parameter(first);
}

void differentiate_weights(ProgramBuilder& builder, std::size_t node, const Sizes& sizes,
                           MemoryPlan::Id gradient) {
  const VariablePlace place = weights_of(builder, node);
  const std::optional<VariablePlace> bias = builder.variable(node, 1);
  const MemoryPlan::Id input = builder.notes(node).first
                                   ? builder.used(*builder.notes(node).first)
                                   : builder.read(builder.node(node).inputs[0]);
  const Type type = builder.type();
  const auto outputs = static_cast<std::uint32_t>(sizes.outputs);
  builder.need_scratch(column_sum_scratch(outputs));
  const SharedProduct product = plan_product(builder, {.m = sizes.inputs,
                                                       .n = sizes.outputs,
                                                       .k = sizes.batch,
                                                       .transposes_a = false,
                                                       .transposes_b = true,
                                                       .factors = type,
                                                       .result = Type::kFloat,
                                                       .tf32 = false,
                                                       .has_bias = false,
                                                       .relu = false,
                                                       .aligned = is_aligned(place, sizes)});
  builder.then(
      [=](const Run& run) {
        (*product)->run(run.stream, run.at(input), run.at(gradient), run.gradient(place.first),
                        nullptr, run.scratch);
      },
      kCublas);
  if (!bias) return;
  builder.help(
      [=](const Run& run) {
        column_sums(run.stream, type, run.gradient(bias->first), run.at(gradient), sizes.batch,
                    outputs, run.scratch);
      },
      "bias gradient");
}

void differentiate_input(ProgramBuilder& builder, std::size_t node, const Sizes& sizes,
                         MemoryPlan::Id gradient) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const VariablePlace place = weights_of(builder, node);
  const std::optional<MemoryPlan::Id> narrow = builder.notes(node).second;
  if (narrow) builder.used(*narrow);
  const Type type = builder.type();
  const SharedProduct product = plan_product(builder, {.m = sizes.inputs,
                                                       .n = sizes.batch,
                                                       .k = sizes.outputs,
                                                       .transposes_a = false,
                                                       .transposes_b = false,
                                                       .factors = type,
                                                       .result = type,
                                                       .tf32 = false,
                                                       .has_bias = false,
                                                       .relu = false,
                                                       .aligned = is_aligned(place, sizes)});
  const MemoryPlan::Id part = builder.begin_whole_gradient(input);
  MemoryPlan::Id flat = part;
  if (sizes.needs_order) flat = builder.temporary(sizes.batch * sizes.inputs * bytes_of(type));
  builder.then(
      [=](const Run& run) {
        (*product)->run(run.stream, weights_at(run, narrow, place.first), run.at(gradient),
                        run.at(flat), nullptr, run.scratch);
      },
      kCublas);
  if (flat != part) {
    Permutation back = sizes.order();
    std::swap(back.read_strides, back.write_strides);
    builder.help(
        [=](const Run& run) { permute(run.stream, run.at(part), type, run.at(flat), type, back); },
        "gradient to row, column, channel");
  }
  builder.finish_gradient(input, part);
}

// Adds what the product itself did not add.
void add_bias_and_relu(ProgramBuilder& builder, const std::optional<VariablePlace>& bias,
                       const Relu& relu, const Sizes& sizes, MemoryPlan::Id output) {
  const Type type = builder.type();
  builder.help(
      [=](const Run& run) {
        if (bias)
          add_bias(run.stream, type, run.at(output), run.parameter(bias->first), relu, sizes.batch,
                   static_cast<std::uint32_t>(sizes.outputs));
        else
          join(run.stream, type, run.at(output), run.at(output), nullptr, relu,
               sizes.batch * sizes.outputs);
      },
      bias ? "bias" : "relu");
}

}  // namespace

void forward_fully_connected(ProgramBuilder& builder, std::size_t node) {
  const Sizes sizes = sizes_of(builder, node);
  const VariablePlace place = weights_of(builder, node);
  const std::optional<VariablePlace> bias = builder.variable(node, 1);
  const Relu relu = builder.fused_relu(node);
  const Type type = builder.type();
  // The library adds only biases of the result's own type, and does not support an upper limit.
  const bool fuses =
      bias && type == Type::kFloat && relu.limit <= 0.0f && bias->first % kMatrixAlignment == 0;
  const MemoryPlan::Id input = flat_input(builder, node, sizes);
  const std::optional<MemoryPlan::Id> narrow = narrow_weights(builder, node, place, sizes);
  const MemoryPlan::Id output = builder.define(node);
  const SharedProduct product = plan_product(builder, {.m = sizes.outputs,
                                                       .n = sizes.batch,
                                                       .k = sizes.inputs,
                                                       .transposes_a = true,
                                                       .transposes_b = false,
                                                       .factors = type,
                                                       .result = type,
                                                       .tf32 = false,
                                                       .has_bias = fuses,
                                                       .relu = fuses && relu.active,
                                                       .aligned = is_aligned(place, sizes)});
  builder.then(
      [=](const Run& run) {
        (*product)->run(run.stream, weights_at(run, narrow, place.first), run.at(input),
                        run.at(output), fuses ? run.parameter(bias->first) : nullptr, run.scratch);
      },
      kCublas);
  if (!fuses && (bias || relu.active)) add_bias_and_relu(builder, bias, relu, sizes, output);
}

void backward_fully_connected(ProgramBuilder& builder, std::size_t node) {
  const Sizes sizes = sizes_of(builder, node);
  const MemoryPlan::Id gradient = builder.gradient(node);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  differentiate_weights(builder, node, sizes, gradient);
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  differentiate_input(builder, node, sizes, gradient);
}

}  // namespace convoy::cuda
