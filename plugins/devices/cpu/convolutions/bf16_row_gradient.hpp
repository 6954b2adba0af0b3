#pragma once

#include <cstddef>

#include "plugins/devices/cpu/convolutions/bf16_weights_gradient.hpp"

namespace convoy::cpu {

// The gradient of the weights of a convolution with few input channels, such as the first one of a
// network, from bf16 activations.
//
// With channels last, the pixels that a filter row reads are consecutive: width x channels numbers.
// They take the place of the input channels in Bf16WeightsGradient. Its taps are then the rows of
// the filter, and the inputs of neighbouring results overlap in memory. The padding of these
// channels to whole blocks is the memory behind them; products with it are ignored. Padding columns
// must be in memory, so the source is copied first.
class Bf16RowGradient {
 public:
  // Whether the processor supports this shape. If not, nothing below may be called.
  static bool suits(const ConvolutionShape& shape);
  // Whether this was faster than oneDNN 2.6 in tests/benchmarks/bf16_weights_gradient_benchmark:
  // with tile registers for every shape, with vectors (Zen 4) for none.
  static bool pays(const ConvolutionShape& shape);

  explicit Bf16RowGradient(const ConvolutionShape& shape);

  // Bytes of scratch memory that run() needs with this many threads.
  std::size_t scratch_bytes(std::size_t threads) const;

  // The same as Bf16WeightsGradient::run, but writes the gradient in plain order, OIHW.
  void run(const Bf16WeightsGradient::Arguments& arguments, std::size_t threads) const;

 private:
  std::size_t source_bytes() const;
  void copy_source(const Bf16* source, Bf16* to) const;
  void copy_row(const Bf16* from, Bf16* to) const;
  void write_weights(const float* sums, float* weights) const;

  ConvolutionShape shape_, rows_;
  SourceSteps steps_;  // of the copy
  Bf16WeightsGradient gradient_;
};

}  // namespace convoy::cpu
