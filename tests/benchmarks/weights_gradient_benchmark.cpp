// Gradients of weights by the plug-in's own direct kernels beside oneDNN's, by shape, on all cores.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <vector>

#include "plugins/devices/cpu/convolutions/weights_gradient.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy {
namespace {

using Tag = dnnl::memory::format_tag;
using Dim = dnnl::memory::dim;

struct GradientShape {
  const char* name;
  Dim batch, in, side, out, kernel_height, kernel_width, stride, pad_height, pad_width;
};

constexpr GradientShape kGradientShapes[] = {
    {"tiny", 1, 16, 8, 16, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_28", 16, 128, 56, 128, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_14", 16, 256, 28, 256, 3, 3, 2, 1, 1},
    {"resnet50_3x3_stride_2_to_7", 16, 512, 14, 512, 3, 3, 2, 1, 1},
    {"resnet50_1x1_stride_2_to_28", 16, 256, 56, 512, 1, 1, 2, 0, 0},
    {"resnet50_1x1_56", 16, 64, 56, 256, 1, 1, 1, 0, 0},
    {"inception3_1x7", 8, 160, 17, 160, 1, 7, 1, 0, 3},
    {"inception3_7x1", 8, 192, 17, 192, 7, 1, 1, 3, 0},
    {"inception3_1x3", 8, 384, 8, 384, 1, 3, 1, 0, 1},
    {"inception3_5x5", 8, 48, 35, 64, 5, 5, 1, 2, 2},
    {"inception3_3x3_valid", 8, 80, 73, 192, 3, 3, 1, 0, 0},
    {"alexnet_5x5", 64, 64, 27, 192, 5, 5, 1, 2, 2},
};

// Operands in the layouts that oneDNN's forward pass chooses.
class GradientCase {
 public:
  explicit GradientCase(const GradientShape& shape);

  void library();
  void own();
  double operations() const { return operations_; }

 private:
  dnnl::memory filled(const dnnl::memory::desc& desc);

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::convolution_backward_weights::primitive_desc description_;
  dnnl::memory source_, result_, weights_;
  cpu::ConvolutionShape own_{};
  std::vector<float> scratch_;
  double operations_ = 0.0;
};

GradientCase::GradientCase(const GradientShape& shape) {
  const auto any = [](const dnnl::memory::dims& dims) {
    return dnnl::memory::desc(dims, dnnl::memory::data_type::f32, Tag::any);
  };
  const auto size = [](Dim value) { return static_cast<std::size_t>(value); };
  const auto direct = dnnl::algorithm::convolution_direct;
  const Dim height = (shape.side + 2 * shape.pad_height - shape.kernel_height) / shape.stride + 1;
  const Dim width = (shape.side + 2 * shape.pad_width - shape.kernel_width) / shape.stride + 1;
  const dnnl::memory::dims strides = {shape.stride, shape.stride};
  const dnnl::memory::dims padding = {shape.pad_height, shape.pad_width};
  const auto forward = cpu::describe<dnnl::convolution_forward>(
      engine_, {}, dnnl::prop_kind::forward_training, direct,
      any({shape.batch, shape.in, shape.side, shape.side}),
      any({shape.out, shape.in, shape.kernel_height, shape.kernel_width}),
      any({shape.batch, shape.out, height, width}), strides, padding, padding);
  description_ = cpu::describe_gradient<dnnl::convolution_backward_weights>(
      engine_, {}, forward, direct, forward.src_desc(), forward.weights_desc(), forward.dst_desc(),
      strides, padding, padding);
  source_ = filled(forward.src_desc());
  result_ = filled(forward.dst_desc());
  weights_ = filled(forward.weights_desc());
  own_ = {{size(shape.side), size(shape.side), size(height), size(width), size(shape.kernel_height),
           size(shape.kernel_width), size(shape.stride), size(shape.stride), size(shape.pad_height),
           size(shape.pad_width)},
          size(shape.batch),
          size(shape.in),
          size(shape.out),
          size(cpu::blocked_layout(forward.src_desc())->inner_sizes.at(0))};
  scratch_.resize(cpu::WeightsGradient(own_).scratch_floats());
  operations_ = 2.0 * static_cast<double>(shape.batch * shape.in * shape.out * height * width) *
                static_cast<double>(shape.kernel_height * shape.kernel_width);
}

dnnl::memory GradientCase::filled(const dnnl::memory::desc& desc) {
  dnnl::memory memory(desc, engine_);
  auto* values = static_cast<float*>(memory.get_data_handle());
  for (std::size_t i = 0; i < desc.get_size() / sizeof(float); ++i) {
    values[i] = static_cast<float>(i * 2654435761u % 1000) / 1000.0f - 0.5f;
  }
  return memory;
}

void GradientCase::library() {
  dnnl::convolution_backward_weights(description_)
      .execute(stream_, {{DNNL_ARG_SRC, source_},
                         {DNNL_ARG_DIFF_DST, result_},
                         {DNNL_ARG_DIFF_WEIGHTS, weights_}});
}

void GradientCase::own() {
  const auto floats = [](const dnnl::memory& memory) {
    return static_cast<float*>(memory.get_data_handle());
  };
  cpu::WeightsGradient(own_).run(
      {floats(source_), floats(result_), floats(weights_), nullptr, 0, scratch_.data()});
}

void measure_gradient(benchmark::State& state, const GradientShape& shape,
                      void (GradientCase::*run)()) {
  GradientCase gradient(shape);
  (gradient.*run)();
  for (auto _ : state) (gradient.*run)();
  state.counters["FLOP/s"] =
      benchmark::Counter(gradient.operations(), benchmark::Counter::kIsIterationInvariantRate);
}

void add_gradient_cases() {
  for (const GradientShape& shape : kGradientShapes) {
    const auto add = [&](const char* who, void (GradientCase::*run)()) {
      const std::string name = std::string(shape.name) + "/" + who;
      benchmark::RegisterBenchmark(name.c_str(), measure_gradient, shape, run)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("library", &GradientCase::library);
    add("own", &GradientCase::own);
  }
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  convoy::add_gradient_cases();
  benchmark::RunSpecifiedBenchmarks();
}
