#pragma once

#include <cstddef>

namespace convoy::cpu {

// A 3x3 or 5x5 convolution with stride 1. Activations are stored as nChw8c or nChw16c, and weights
// as OIhw8i8o or OIhw16i16o, all in f32. Channels include the padding to whole blocks, which always
// holds zeros. The padding of the image is less than the filter's side. With bf16, activations and
// their gradients are bf16 with channels last, in whole blocks of 16 without padding. Everything
// else stays f32, and results are rounded once, to nearest, ties to even.
struct WinogradShape {
  std::size_t batch = 0;
  std::size_t block = 8;  // channels per block, 8 or 16
  std::size_t in_channels = 0, in_height = 0, in_width = 0;
  std::size_t out_channels = 0, out_height = 0, out_width = 0;
  std::size_t pad_top = 0, pad_left = 0;
  std::size_t taps = 3;  // per side of the filter, 3 or 5
  bool bf16 = false;
};

// The bias may be null, else it has bias_count elements (without padding). A relu limit of 0 means
// none.
struct WinogradResultOptions {
  const float* bias = nullptr;
  std::size_t bias_count = 0;
  bool relu = false;
  float limit = 0.0f;
};

// Winograd convolutions F(4x4, 3x3) and F(2x2, 5x5). All functions run on the team of the calling
// thread with at most `threads` threads. Results have the same bits for any number of threads.
// Activations and their gradients (source, result, gradient, source_gradient) have the shape's
// type. Scratch memory is aligned to 64 bytes. The size functions return its size in floats for the
// same shape and thread count.

std::size_t winograd_forward_scratch(const WinogradShape& shape, std::size_t threads);
void winograd_forward(const WinogradShape& shape, const void* source, const float* weights,
                      const WinogradResultOptions& options, void* result, float* scratch,
                      std::size_t threads);

std::size_t winograd_backward_data_scratch(const WinogradShape& shape, std::size_t threads);
void winograd_backward_data(const WinogradShape& shape, const void* gradient, const float* weights,
                            void* source_gradient, float* scratch, std::size_t threads);

std::size_t winograd_backward_weights_scratch(const WinogradShape& shape, std::size_t threads);
void winograd_backward_weights(const WinogradShape& shape, const void* source, const void* gradient,
                               float* weights_gradient, float* scratch, std::size_t threads);

// Sums the gradient per channel, for bias_count channels.
void winograd_backward_bias(const WinogradShape& shape, const void* gradient, float* bias_gradient,
                            std::size_t bias_count);

}  // namespace convoy::cpu
