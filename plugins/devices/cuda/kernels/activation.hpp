#pragma once

#include "plugins/devices/cuda/kernels/types.hpp"

namespace convoy::cuda {

// Kernels on activations: tensors of `rows` cells (images times rows times columns) with channels
// innermost (NHWC), all of one Type. Arithmetic is f32.

struct Relu {
  bool active;
  float limit;  // 0 = none
};

// write <- relu(a + b); b may be null. In place is allowed.
void join(Stream stream, Type type, void* write, const void* a, const void* b, Relu relu,
          std::uint64_t count);
// Zeroes the gradient where the relu clipped its output.
void relu_backward(Stream stream, Type type, void* gradient, const void* output, float limit,
                   std::uint64_t count);
// In place: x <- relu(x + bias of the channel); bias is f32.
void add_bias(Stream stream, Type type, void* x, const float* bias, Relu relu, std::uint64_t rows,
              std::uint32_t channels);
// write[c] <- sum over rows of gradient[row, c]. scratch: column_sum_scratch() bytes.
void column_sums(Stream stream, Type type, float* write, const void* gradient, std::uint64_t rows,
                 std::uint32_t channels, void* scratch);
std::uint64_t column_sum_scratch(std::uint32_t channels);

// Copies (or with `adds`, adds) part of the channels of one tensor to part of those of another.
struct ChannelCopy {
  void* write;
  std::uint32_t write_channels, write_first;
  const void* read;
  std::uint32_t read_channels, read_first;
  std::uint32_t channels;  // how many
  std::uint64_t rows;
  bool adds;
};
void copy_channels(Stream stream, Type type, const ChannelCopy& what);

// Converts a tensor of up to four dimensions to another order and type. Element (a, b, c, d) is at
// sum(index * stride) on both sides. Dimensions are in the order of the destination's memory.
struct Permutation {
  std::uint32_t sizes[4];
  std::uint64_t write_strides[4];
  std::uint64_t read_strides[4];
};
void permute(Stream stream, void* write, Type to, const void* read, Type from,
             const Permutation& order);

// Converts images from planes per channel, the host's form, to channels innermost.
void interleave(Stream stream, void* write, Type type, const float* planes, std::uint64_t images,
                std::uint64_t cells, std::uint32_t channels);

// Drops the same elements as the CPU device: the mask is a function of key, step and the element's
// number in (image, channel, cell) order. In place is allowed.
struct Dropout {
  std::uint64_t key;  // derived from seed, replica and layer
  std::uint64_t step;
  const std::uint64_t* step_at;  // device memory with the step; null = `step` is used
  std::uint32_t threshold;       // keeps an element whose 32 random bits are below it
  float factor;
  std::uint32_t channels;
  std::uint32_t cells;  // of one channel of one image
};
void dropout(Stream stream, Type type, void* write, const void* read, const Dropout& what,
             std::uint64_t count);

}  // namespace convoy::cuda
