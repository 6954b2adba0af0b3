#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/plane_windows.hpp"

namespace convoy::cpu {

// Limits of a filter's taps and of the stride along a line. Larger ones are left to the library.
inline constexpr std::size_t kMostDepthwiseTaps = 64;
inline constexpr std::size_t kMostDepthwiseStride = 8;

// Applied to results: a bias per channel of the block (null = none), then bounds.
struct DepthwiseEpilogue {
  const float* bias;
  float lower, upper;
};

// Depthwise convolutions, one plane (a block of channels of one image) at a time. There is one
// instance per instruction set. Weights are stored as [tap][channel of the block]. Every sum goes
// through the taps, or through the cells, in order.
struct DepthwiseKernels {
  void (*forward)(const PlaneWindows& windows, const float* read, const float* weights,
                  const DepthwiseEpilogue& epilogue, float* write);
  // Overwrites the gradient of the input, or adds to it.
  void (*backward_data)(const PlaneWindows& windows, const float* gradient, const float* weights,
                        float* write, bool add);
  // Computes the plane's own share of the gradients; bias may be null.
  void (*backward_weights)(const PlaneWindows& windows, const float* read, const float* gradient,
                           float* weights, float* bias);
};

// Returns the best kernels of this processor for blocks of 8 or 16 channels.
const DepthwiseKernels& depthwise_kernels(std::size_t block);

}  // namespace convoy::cpu
