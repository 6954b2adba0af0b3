#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plugins/devices/cpu/norms/fused_batch_norm.hpp"

namespace convoy::test {

// A batch norm in double precision, in NCHW, with everything that its two passes read and write.
struct BatchNormCase {
  std::size_t images, channels, height, width, block;
  bool relu = false;
  bool add = false;
  bool variables = true;  // gamma and beta
  double limit = 0.0;     // of the relu
  double centre = 0.0;    // of the values, whose deviation is about one
  double epsilon = 1e-3;

  std::size_t cells() const { return height * width; }
  std::size_t elements() const { return images * channels * cells(); }
  cpu::BlockedShape shape() const { return {images, channels, cells(), block}; }
};

struct BatchNormData {
  explicit BatchNormData(const BatchNormCase& what);
  // Of the reference, in double: sums and squares about the exact mean.
  std::vector<float> read, addend, gradient, gamma, beta;
  std::vector<double> mean, variance, write, read_gradient, gamma_gradient, beta_gradient;
  std::vector<double> passed;  // the gradient in front of the relu: also that of the addend
};

// NCHW to blocks of channels, padded with zeros, and back; the magnitudes of what lies in the
// padding are added to `padding`.
std::vector<float> to_blocks(const std::vector<float>& plain, const BatchNormCase& what);
std::vector<float> from_blocks(const float* blocked, const BatchNormCase& what, double& padding);

}  // namespace convoy::test
