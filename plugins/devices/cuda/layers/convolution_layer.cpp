#include <memory>

#include "plugins/devices/cuda/gpu/device_memory.hpp"
#include "plugins/devices/cuda/layers/filter_storage.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/libraries/convolution.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"

namespace convoy::cuda {
namespace {

constexpr const char* kCudnn = "cuDNN";

// Filled in when the layer is prepared.
using SharedConvolution = std::shared_ptr<std::optional<Convolution>>;

ConvolutionShape shape_of(const ProgramBuilder& builder, std::size_t node) {
  ConvolutionShape shape =
      convolution_shape(builder.shape(node), builder.shape(builder.node(node).inputs[0]),
                        builder.batch(), builder.type());
  shape.direct = (builder.compilation().flags & CONVOY_COMPILE_DIRECT_CONVOLUTIONS) != 0;
  return shape;
}

// The memory with which a pass is measured: its activations and, if it has one, its copy of the
// filter.
struct MeasuredMemory {
  MemoryPlan::Id input;
  std::optional<MemoryPlan::Id> filter;
  MemoryPlan::Id output;
};

// A filter in the arena is measured in separate memory, because there are no parameters yet.
void prepare(ProgramBuilder& builder, const ConvolutionShape& wanted, ConvolutionPass pass,
             const MeasuredMemory& memory, const SharedConvolution& convolution) {
  builder.prepare([=](Preparation& preparation) {
    ConvolutionShape shape = wanted;
    shape.tf32 = preparation.tf32;
    if (!preparation.cudnn) preparation.cudnn = make_cudnn_handle(preparation.stream);
    const auto bytes = static_cast<std::uint64_t>(shape.filter_elements()) * bytes_of(shape.type);
    const DeviceMemory filter(memory.filter ? 0 : bytes);
    const DeviceMemory workspace(preparation.workspace_limit);
    convolution->emplace(
        preparation.cudnn, preparation.stream, shape, pass,
        ConvolutionMemory{preparation.at(memory.input),
                          memory.filter ? preparation.at(*memory.filter) : filter.get(),
                          preparation.at(memory.output)},
        workspace.get(), preparation.workspace_limit, preparation.gpu, shared_algorithm_cache());
    preparation.workspace_needed =
        std::max(preparation.workspace_needed, (*convolution)->workspace_bytes());
  });
}

void add_bias_and_relu(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id output) {
  const Relu relu = builder.fused_relu(node);
  const std::optional<VariablePlace> bias = builder.variable(node, 1);
  const std::uint64_t rows = builder.rows(node);
  const std::uint32_t channels = builder.shape(node).channels;
  const Type type = builder.type();
  if (bias) {
    builder.help(
        [=, first = bias->first](const Run& run) {
          add_bias(run.stream, type, run.at(output), run.parameter(first), relu, rows, channels);
        },
        "bias");
  } else if (relu.active) {
    builder.help(
        [=](const Run& run) {
          join(run.stream, type, run.at(output), run.at(output), nullptr, relu, rows * channels);
        },
        "relu");
  }
}

void differentiate_bias(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id gradient) {
  const std::optional<VariablePlace> bias = builder.variable(node, 1);
  if (!bias) return;
  const std::uint64_t rows = builder.rows(node);
  const std::uint32_t channels = builder.shape(node).channels;
  builder.need_scratch(column_sum_scratch(channels));
  builder.help(
      [=, type = builder.type(), first = bias->first](const Run& run) {
        column_sums(run.stream, type, run.gradient(first), run.at(gradient), rows, channels,
                    run.scratch);
      },
      "bias gradient");
}

void differentiate_filter(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id gradient) {
  const ConvolutionShape shape = shape_of(builder, node);
  const FilterStorage storage(*builder.variable(node, 0), shape);
  const MemoryPlan::Id input = builder.read(builder.node(node).inputs[0]);
  std::optional<MemoryPlan::Id> own;
  if (!storage.is_direct()) own = builder.temporary(storage.bytes());
  const auto convolution = std::make_shared<std::optional<Convolution>>();
  prepare(builder, shape, ConvolutionPass::kFilter, {input, own, gradient}, convolution);
  builder.then(
      [=](const Run& run) {
        void* filter = own ? run.at(*own) : run.gradient(storage.first());
        (*convolution)->run({run.at(input), filter, run.at(gradient)}, run.scratch);
      },
      kCudnn);
  if (!own) return;
  builder.help(
      [=](const Run& run) {
        storage.store(run.stream, run.gradient(storage.first()), run.at(*own));
      },
      "filter gradient to f32");
}

void differentiate_input(ProgramBuilder& builder, std::size_t node, MemoryPlan::Id gradient) {
  const std::size_t input = builder.node(node).inputs[0];
  if (!builder.needs_gradient(input)) return;
  const ConvolutionShape shape = shape_of(builder, node);
  const FilterStorage storage(*builder.variable(node, 0), shape);
  std::optional<MemoryPlan::Id> own = builder.notes(node).second;
  if (own) builder.used(*own);
  const MemoryPlan::Id part = builder.begin_whole_gradient(input);
  const auto convolution = std::make_shared<std::optional<Convolution>>();
  prepare(builder, shape, ConvolutionPass::kData, {part, own, gradient}, convolution);
  builder.then(
      [=](const Run& run) {
        void* filter = own ? run.at(*own) : const_cast<float*>(run.parameter(storage.first()));
        (*convolution)->run({run.at(part), filter, run.at(gradient)}, run.scratch);
      },
      kCudnn);
  builder.finish_gradient(input, part);
}

}  // namespace

void forward_convolution(ProgramBuilder& builder, std::size_t node) {
  const ConvolutionShape shape = shape_of(builder, node);
  if (shape.is_depthwise()) return forward_depthwise(builder, node);
  const FilterStorage storage(*builder.variable(node, 0), shape);
  const MemoryPlan::Id input = builder.read(builder.node(node).inputs[0]);
  const MemoryPlan::Id output = builder.define(node);
  std::optional<MemoryPlan::Id> own;
  if (!storage.is_direct()) own = builder.temporary(storage.bytes());
  builder.notes(node).second = own;
  const auto convolution = std::make_shared<std::optional<Convolution>>();
  prepare(builder, shape, ConvolutionPass::kForward, {input, own, output}, convolution);
  if (own)
    builder.help(
        [=](const Run& run) {
          storage.load(run.stream, run.at(*own), run.parameter(storage.first()));
        },
        "filter from f32");
  builder.then(
      [=](const Run& run) {
        void* filter = own ? run.at(*own) : const_cast<float*>(run.parameter(storage.first()));
        (*convolution)->run({run.at(input), filter, run.at(output)}, run.scratch);
      },
      kCudnn);
  add_bias_and_relu(builder, node, output);
}

void backward_convolution(ProgramBuilder& builder, std::size_t node) {
  if (shape_of(builder, node).is_depthwise()) return backward_depthwise(builder, node);
  const MemoryPlan::Id gradient = builder.gradient(node);
  builder.part(CONVOY_PASS_BACKWARD_WEIGHTS);
  differentiate_bias(builder, node, gradient);
  differentiate_filter(builder, node, gradient);
  builder.part(CONVOY_PASS_BACKWARD_DATA);
  differentiate_input(builder, node, gradient);
}

}  // namespace convoy::cuda
