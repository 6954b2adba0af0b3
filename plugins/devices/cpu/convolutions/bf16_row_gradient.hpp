#pragma once

#include <cstddef>

#include "plugins/devices/cpu/convolutions/bf16_weights_gradient.hpp"

namespace convoy::cpu {

// The gradient of the weights of a convolution that reads few channels, as the first of a network
// does, from bf16 activations.
//
// With channels last the pixels that a row of the filter meets stand side by side: width x channels
// numbers, which take the place of the input channels in Bf16WeightsGradient. The taps are then the
// filter's rows, and neighbours in the result overlap in memory. What pads the channels to whole
// blocks is whatever stands behind; its products are not looked at. Columns of padding have to be
// in memory, so the source is copied first.
class Bf16RowGradient {
 public:
  // Whether this processor computes this shape: nothing below may be called otherwise.
  static bool suits(const ConvolutionShape& shape);
  // Whether that was faster than oneDNN 2.6 in tests/benchmarks/bf16_weights_gradient_benchmark:
  // with tile registers for every shape, with vectors (Zen 4) for none.
  static bool pays(const ConvolutionShape& shape);

  explicit Bf16RowGradient(const ConvolutionShape& shape);

  // Bytes of memory that run() needs for its own use with this many threads.
  std::size_t scratch_bytes(std::size_t threads) const;

  // As Bf16WeightsGradient::run, but that the gradient is written in plain order, OIHW.
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
