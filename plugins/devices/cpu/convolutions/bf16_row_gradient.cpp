#include "plugins/devices/cpu/convolutions/bf16_row_gradient.hpp"

#include <algorithm>

#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kSourceUnit = 64;  // bytes; memory behind the copy begins at a cache line

std::size_t whole(std::size_t size, std::size_t unit) {
  return (size + unit - 1) / unit * unit;
}

// Elements that one row of the filter reads at one position.
std::size_t row_elements(const ConvolutionShape& shape) {
  return shape.kernel_width * shape.in_channels;
}

// The same convolution with the elements of a filter row as input channels.
ConvolutionShape rows_of(const ConvolutionShape& shape) {
  ConvolutionShape rows = shape;
  rows.in_channels = whole(row_elements(shape), kBf16Block);
  rows.in_width = shape.out_width;
  rows.kernel_width = 1;
  rows.stride_width = 1;
  rows.pad_left = 0;
  return rows;
}

SourceSteps steps_of(const ConvolutionShape& shape) {
  const std::size_t reached =
      (shape.out_width - 1) * shape.stride_width + shape.kernel_width;  // from the left padding on
  const std::size_t row = std::max(reached, shape.pad_left + shape.in_width) * shape.in_channels;
  return {shape.in_height * row, row, shape.stride_width * shape.in_channels};
}

}  // namespace

bool Bf16RowGradient::suits(const ConvolutionShape& shape) {
  constexpr std::size_t kMostElements = 64;
  return shape.in_channels > 0 && shape.in_channels < kBf16Block && shape.kernel_width > 1 &&
         row_elements(shape) <= kMostElements && shape.in_height > 0 &&
         shape.out_height * shape.out_width > 0 && Bf16WeightsGradient::suits(rows_of(shape));
}

bool Bf16RowGradient::pays(const ConvolutionShape& shape) {
  return suits(shape) && bf16_kernels()->uses_tiles;
}

Bf16RowGradient::Bf16RowGradient(const ConvolutionShape& shape)
    : shape_(shape), rows_(rows_of(shape)), steps_(steps_of(shape)), gradient_(rows_, steps_) {}

// The last position reads whole blocks, too.
std::size_t Bf16RowGradient::source_bytes() const {
  return whole((shape_.batch * steps_.image + rows_.in_channels) * sizeof(Bf16), kSourceUnit);
}

std::size_t Bf16RowGradient::scratch_bytes(std::size_t threads) const {
  return source_bytes() + gradient_.weights_floats() * sizeof(float) +
         gradient_.scratch_bytes(threads);
}

void Bf16RowGradient::run(const Bf16WeightsGradient::Arguments& arguments,
                          std::size_t threads) const {
  auto* const copy = static_cast<Bf16*>(arguments.scratch);
  auto* const sums = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(copy) + source_bytes());
  copy_source(arguments.source, copy);
  Bf16WeightsGradient::Arguments own = arguments;
  own.source = copy;
  own.weights = sums;
  own.scratch = sums + gradient_.weights_floats();
  gradient_.run(own, threads);
  write_weights(sums, arguments.weights);
}

void Bf16RowGradient::copy_source(const Bf16* source, Bf16* to) const {
  const std::size_t from_row = shape_.in_width * shape_.in_channels;
  const std::size_t rows = shape_.batch * shape_.in_height;
  parallel_indices(
      rows, [&](std::size_t row) { copy_row(source + row * from_row, to + row * steps_.row); });
  std::fill_n(to + rows * steps_.row, rows_.in_channels, Bf16{0});
}

void Bf16RowGradient::copy_row(const Bf16* from, Bf16* to) const {
  const std::size_t before = shape_.pad_left * shape_.in_channels;
  const std::size_t count = shape_.in_width * shape_.in_channels;
  std::fill_n(to, before, Bf16{0});
  std::copy_n(from, count, to + before);
  std::fill(to + before + count, to + steps_.row, Bf16{0});
}

// Copies from blocks of a row's elements and outputs, [out][in][row of the filter][16 in][16 out].
void Bf16RowGradient::write_weights(const float* sums, float* weights) const {
  const std::size_t height = shape_.kernel_height, width = shape_.kernel_width;
  const std::size_t in_blocks = rows_.in_channels / kBf16Block;
  for (std::size_t out = 0; out < shape_.out_channels; ++out) {
    for (std::size_t in = 0; in < shape_.in_channels; ++in) {
      for (std::size_t tap = 0; tap < height * width; ++tap) {
        const std::size_t element = tap % width * shape_.in_channels + in;
        const std::size_t block = out / kBf16Block * in_blocks + element / kBf16Block;
        const std::size_t row = (block * height + tap / width) * kBf16Block + element % kBf16Block;
        *weights++ = sums[row * kBf16Block + out % kBf16Block];
      }
    }
  }
}

}  // namespace convoy::cpu
