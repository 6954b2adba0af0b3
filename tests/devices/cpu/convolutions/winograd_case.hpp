#pragma once

#include <cstddef>
#include <ostream>
#include <vector>

#include "plugins/devices/cpu/convolutions/winograd.hpp"

namespace convoy::test {

// A convolution by its true sizes; padding per side of the image.
struct ConvolutionSizes {
  std::size_t batch, block, in, out, height, width;
  std::size_t top, left, bottom, right;
  std::size_t taps = 3;  // of the filter, per side
  bool bf16 = false;     // activations and their gradients, with channels last

  std::size_t out_height() const { return height + top + bottom + 1 - taps; }
  std::size_t out_width() const { return width + left + right + 1 - taps; }
  std::size_t filter() const { return taps * taps; }
  cpu::WinogradShape shape() const;
};

void PrintTo(const ConvolutionSizes& sizes, std::ostream* out);

// Random operands, rounded as they are stored, in plain order (NCHW, OIHW) and the convolution with
// its gradients in float64.
struct ConvolutionReference {
  explicit ConvolutionReference(const ConvolutionSizes& sizes);

  ConvolutionSizes sizes;
  std::vector<float> source, weights, gradient;
  std::vector<double> result, source_gradient, weights_gradient;
};

// Between plain and blocked order; padding of channels is zero and must be found so.
std::vector<float> blocked_images(const std::vector<float>& plain, std::size_t batch,
                                  std::size_t channels, std::size_t pixels, std::size_t block);
std::vector<float> plain_images(const std::vector<float>& blocked, std::size_t batch,
                                std::size_t channels, std::size_t pixels, std::size_t block);
std::vector<float> blocked_weights(const std::vector<float>& plain, const ConvolutionSizes& sizes);
std::vector<float> plain_weights(const std::vector<float>& blocked, const ConvolutionSizes& sizes);

// All passes of the Winograd kernels, in plain order, on a team of so many threads.
struct WinogradResults {
  std::vector<float> result, source_gradient, weights_gradient, bias_gradient;
};
WinogradResults compute_winograd(const ConvolutionReference& reference, std::size_t threads,
                                 const cpu::WinogradResultOptions& options = {});

// Root of the mean square error over that of the values.
double relative_error(const std::vector<float>& values, const std::vector<double>& expected);

}  // namespace convoy::test
