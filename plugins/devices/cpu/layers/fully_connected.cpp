#include "plugins/devices/cpu/layers/fully_connected.hpp"

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

using Tag = dnnl::memory::format_tag;

// Returns a node's output as a matrix of images and elements.
Desc matrix(const ProgramBuilder& builder, std::size_t node) {
  const dnnl::memory::dims dims = builder.dims(node);
  return {{dims[0], dims[1] * dims[2] * dims[3]}, type_of(builder.flat(node)), Tag::ab};
}

Desc bias_of(const Desc& output) {
  return {{dims_of(output)[1]}, dnnl::memory::data_type::f32, Tag::x};
}

// The form in which the weights are multiplied: as stored, or as bf16 in the library's own order.
Desc weights_of(const ProgramBuilder& builder, std::uint32_t index) {
  const Desc stored = builder.stored(index);
  if (!builder.stores_bf16()) return stored;
  const bool plain = keeps_plain_weights(dims_of(stored)[1], dims_of(stored)[0], true);
  return {dims_of(stored), dnnl::memory::data_type::bf16, plain ? Tag::ab : Tag::any};
}

// Returns own kernels for the stored weights of a node; null if none support them.
std::shared_ptr<const Bf16FullyConnected> products_of(const ProgramBuilder& builder,
                                                      std::size_t node) {
  if (!builder.stores_bf16()) return nullptr;
  const Desc stored = builder.stored(builder.plan(node).node->variables[0]);
  const std::optional<BlockedLayout> layout = blocked_layout(stored);
  if (!layout || layout->inner_dimensions != dnnl::memory::dims{1, 0}) return nullptr;
  constexpr auto kRows = static_cast<dnnl::memory::dim>(kBf16Block);
  const dnnl::memory::dim width = layout->inner_sizes[1];
  const dnnl::memory::dims strides = {layout->padded[1] * width, kRows * width};
  if (layout->inner_sizes[0] != kRows || layout->strides != strides) return nullptr;
  const auto size = [](dnnl::memory::dim value) { return static_cast<std::size_t>(value); };
  const Bf16FullyConnected::Shape shape{builder.compilation().batch, size(dims_of(stored)[1]),
                                        size(dims_of(stored)[0]), size(width)};
  if (!Bf16FullyConnected::pays(shape)) return nullptr;
  return std::make_shared<const Bf16FullyConnected>(shape);
}

dnnl::memory scratch_of(ProgramBuilder& builder, const Bf16FullyConnected& products) {
  const auto bytes = static_cast<dnnl::memory::dim>(products.scratch_bytes(team_size()));
  return builder.scratchpad({{bytes}, dnnl::memory::data_type::u8, Tag::x});
}

}  // namespace

// Whether the weights of a fully connected layer stay plain, for which oneDNN 2.6 multiplies
// matrices. On AVX-512, it stores others in blocks of channels. The gradient of the input then
// dereferences null if there are several threads, more than 16 whole blocks of 64 outputs, and a
// single block of inputs (up to 16, or 32) and of images: the threads should share the sum over the
// outputs, but only one is started, and its last part uses a buffer that the first thread does not
// have. The bounds are twice as wide as that; such layers are small, so nothing is lost. With bf16,
// the blocks hold at least 16 outputs. For fewer than half of that, most of what a step writes,
// reads and updates would be padding.
bool keeps_plain_weights(dnnl::memory::dim inputs, dnnl::memory::dim outputs, bool bf16) {
  constexpr dnnl::memory::dim kFewInputs = 64;
  constexpr dnnl::memory::dim kManyOutputs = 512;
  constexpr dnnl::memory::dim kFewOutputs = 8;
  return (inputs <= kFewInputs && outputs >= kManyOutputs) || (bf16 && outputs < kFewOutputs);
}

dnnl::inner_product_forward::primitive_desc describe_fully_connected(
    dnnl::prop_kind kind, const Desc& input, const Desc& weights, const Desc& output, bool has_bias,
    const dnnl::primitive_attr& attributes, const dnnl::engine& engine) {
  using Forward = dnnl::inner_product_forward;
  if (!has_bias) return describe<Forward>(engine, attributes, kind, input, weights, output);
  return describe<Forward>(engine, attributes, kind, input, weights, bias_of(output), output);
}

void FullyConnected::build_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Desc source = matrix(builder, input);
  const Desc result = matrix(builder, node);
  const bool has_bias = plan.node->variables[1] != CONVOY_NONE;
  const bool relu = plan.fused_relu != kNoNode;
  forward_ = describe_fully_connected(
      builder.forward_kind(), source, weights_of(builder, plan.node->variables[0]), result,
      has_bias, relu ? with_relu(builder.relu_limit(plan.fused_relu)) : shared_scratchpad(),
      builder.engine());
  own_products_ = products_of(builder, node);
  if (own_products_) return build_own_forward(builder, node);
  const dnnl::memory flat = builder.read_as(input, builder.flat(input));
  const dnnl::memory output = builder.define(node, builder.flat(node));
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.view(flat, source)},
      {DNNL_ARG_WEIGHTS, forward_weights(builder, node)},
      {DNNL_ARG_DST, builder.view(output, result)},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(forward_.scratchpad_desc())}};
  if (has_bias) {
    arguments[DNNL_ARG_BIAS] = builder.variable(plan.node->variables[1], bias_of(result));
  }
  builder.then(dnnl::inner_product_forward(forward_), arguments);
}

void FullyConnected::build_own_forward(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t kernel = plan.node->variables[0];
  const std::uint32_t bias = plan.node->variables[1];
  const bool relu = plan.fused_relu != kNoNode;
  const auto limit = relu ? static_cast<float>(builder.relu_limit(plan.fused_relu)) : 0.0f;
  const dnnl::memory source = builder.read_as(plan.inputs[0], builder.flat(plan.inputs[0]));
  const dnnl::memory weights = builder.variable(kernel, builder.stored(kernel));
  const dnnl::memory shift =
      bias == CONVOY_NONE ? dnnl::memory() : builder.variable(bias, builder.stored(bias));
  const dnnl::memory result = builder.define(node, builder.flat(node));
  const dnnl::memory scratch = scratch_of(builder, *own_products_);
  builder.then(
      [=, products = own_products_, threads = team_size()](const TaskContext&) {
        products->forward({.source = halves_of(source),
                           .weights = floats_of(weights),
                           .bias = shift ? floats_of(shift) : nullptr,
                           .result = halves_of(result),
                           .relu = relu,
                           .limit = limit,
                           .scratch = scratch.get_data_handle()},
                          threads);
      },
      "own bf16");
}

dnnl::memory FullyConnected::forward_weights(ProgramBuilder& builder, std::size_t node) {
  const std::uint32_t kernel = builder.plan(node).node->variables[0];
  const Desc wanted = forward_.weights_desc();
  if (!builder.stores_bf16() || builder.inference()) return builder.weights(kernel, wanted);
  converted_ = builder.keep(wanted);
  dnnl::memory converted = builder.kept(wanted, *converted_);
  builder.reorder(builder.variable(kernel, builder.stored(kernel)), converted);
  return converted;
}

dnnl::memory FullyConnected::backward_weights(ProgramBuilder& builder, std::size_t node,
                                              const Desc& wanted) {
  if (converted_ && wanted == forward_.weights_desc()) return builder.kept(wanted, *converted_);
  return builder.weights(builder.plan(node).node->variables[0], wanted);
}

void FullyConnected::build_backward(ProgramBuilder& builder, std::size_t node) {
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  build_backward_weights(builder, node);
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  if (!builder.plan(builder.plan(node).inputs[0]).needs_gradient) return;
  if (own_products_) return build_own_backward_data(builder, node);
  build_backward_data(builder, node);
}

void FullyConnected::build_backward_weights(ProgramBuilder& builder, std::size_t node) {
  using Backward = dnnl::inner_product_backward_weights;
  const NodePlan& plan = builder.plan(node);
  const std::uint32_t kernel = plan.node->variables[0];
  const std::uint32_t bias = plan.node->variables[1];
  const std::size_t input = plan.inputs[0];
  const Desc source = matrix(builder, input);
  const Desc result = matrix(builder, node);
  const Desc weights = builder.stored(kernel);
  const Backward::primitive_desc description =
      bias != CONVOY_NONE
          ? describe_gradient<Backward>(builder.engine(), shared_scratchpad(), forward_, source,
                                        weights, bias_of(result), result)
          : describe_gradient<Backward>(builder.engine(), shared_scratchpad(), forward_, source,
                                        weights, result);
  const dnnl::memory flat = builder.read_as(input, builder.flat(input));
  const GradientPart kernel_part = builder.begin_variable_gradient(kernel, weights);
  std::unordered_map<int, dnnl::memory> arguments = {
      {DNNL_ARG_SRC, builder.view(flat, source)},
      {DNNL_ARG_DIFF_DST, builder.view(builder.gradient(node), result)},
      {DNNL_ARG_DIFF_WEIGHTS, kernel_part.memory},
      {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}};
  GradientPart bias_part;
  if (bias != CONVOY_NONE) {
    bias_part = builder.begin_variable_gradient(bias, bias_of(result));
    arguments[DNNL_ARG_DIFF_BIAS] = bias_part.memory;
  }
  builder.then(dnnl::inner_product_backward_weights(description), arguments);
  builder.finish_variable_gradient(kernel, kernel_part);
  if (bias != CONVOY_NONE) builder.finish_variable_gradient(bias, bias_part);
}

void FullyConnected::build_backward_data(ProgramBuilder& builder, std::size_t node) {
  const NodePlan& plan = builder.plan(node);
  const std::size_t input = plan.inputs[0];
  const Desc source = matrix(builder, input);
  const Desc result = matrix(builder, node);
  const auto description = describe_gradient<dnnl::inner_product_backward_data>(
      builder.engine(), shared_scratchpad(), forward_, source,
      weights_of(builder, plan.node->variables[0]), result);
  const Desc weights = description.weights_desc();
  const GradientPart part = builder.begin_gradient(input, builder.flat(input));
  builder.then(dnnl::inner_product_backward_data(description),
               {{DNNL_ARG_DIFF_DST, builder.view(builder.gradient(node), result)},
                {DNNL_ARG_WEIGHTS, backward_weights(builder, node, weights)},
                {DNNL_ARG_DIFF_SRC, builder.view(part.memory, source)},
                {DNNL_ARG_SCRATCHPAD, builder.scratchpad(description.scratchpad_desc())}});
  builder.finish_gradient(input, part);
}

void FullyConnected::build_own_backward_data(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const std::uint32_t kernel = builder.plan(node).node->variables[0];
  const dnnl::memory gradient = builder.gradient(node);
  const dnnl::memory weights = builder.variable(kernel, builder.stored(kernel));
  const GradientPart part = builder.begin_gradient(input, builder.flat(input));
  const dnnl::memory scratch = scratch_of(builder, *own_products_);
  builder.then(
      [=, products = own_products_, threads = team_size(),
       source_gradient = part.memory](const TaskContext&) {
        products->backward({.gradient = halves_of(gradient),
                            .weights = floats_of(weights),
                            .source_gradient = halves_of(source_gradient),
                            .scratch = scratch.get_data_handle()},
                           threads);
      },
      "own bf16");
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu
