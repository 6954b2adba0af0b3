// What the benchmarks of weight gradients share. A Case is made of a GradientShape; library() and
// own() compute the gradient, problem() says why it cannot be, or nothing.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <span>
#include <string>

#include "plugins/devices/cpu/convolutions/convolution_shape.hpp"
#include "plugins/devices/cpu/onednn.hpp"

namespace convoy {

// Of square images; the same stride in both directions.
struct GradientShape {
  using Dim = dnnl::memory::dim;

  const char* name;
  Dim batch, in, side, out, kernel_height, kernel_width, stride, pad_height, pad_width;

  Dim out_height() const { return (side + 2 * pad_height - kernel_height) / stride + 1; }
  Dim out_width() const { return (side + 2 * pad_width - kernel_width) / stride + 1; }
  double operations() const {
    return 2.0 * static_cast<double>(batch * in * out * out_height() * out_width()) *
           static_cast<double>(kernel_height * kernel_width);
  }
  // As own kernels see it.
  cpu::ConvolutionShape own(std::size_t block) const {
    const auto size = [](Dim value) { return static_cast<std::size_t>(value); };
    return {{size(side), size(side), size(out_height()), size(out_width()), size(kernel_height),
             size(kernel_width), size(stride), size(stride), size(pad_height), size(pad_width)},
            size(batch),
            size(in),
            size(out),
            block};
  }
};

template <typename Case>
void measure_gradient(benchmark::State& state, const GradientShape& shape, void (Case::*run)()) {
  Case gradient(shape);
  if (const char* problem = gradient.problem()) {
    state.SkipWithError(problem);
    return;
  }
  (gradient.*run)();
  for (auto _ : state) (gradient.*run)();
  state.counters["FLOP/s"] =
      benchmark::Counter(shape.operations(), benchmark::Counter::kIsIterationInvariantRate);
}

template <typename Case>
void run_gradient_benchmarks(std::span<const GradientShape> shapes, int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (const GradientShape& shape : shapes) {
    const auto add = [&](const char* who, void (Case::*run)()) {
      const std::string name = std::string(shape.name) + "/" + who;
      benchmark::RegisterBenchmark(name.c_str(), measure_gradient<Case>, shape, run)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    };
    add("library", &Case::library);
    add("own", &Case::own);
  }
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace convoy
