#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::cpu {

// Loops of top_k, quantise and dequantise over contiguous f32, one instance per instruction set;
// all of them give the same bits. Magnitudes as numbers: the bits of a float without its sign.
struct CompressionKernels {
  std::uint32_t (*largest_magnitude)(const float* read, std::size_t count);
  // Of what is not zero, as CONVOY_CODE_SIGN says.
  float (*mean_magnitude)(const float* read, std::size_t count);
  void (*signs)(std::int8_t* codes, const float* read, std::size_t count);
  // read / scale, at most `most` by magnitude, rounded.
  void (*round_codes)(std::int8_t* codes, const float* read, float scale, float most,
                      std::size_t count);
  // write <- write + scale * codes
  void (*add_codes)(float* write, const std::int8_t* codes, float scale, std::size_t count);
  // write <- read - scale * codes, 0 where that is not finite; write may be read.
  void (*leave_rest)(float* write, const float* read, const std::int8_t* codes, float scale,
                     std::size_t count);
  // Counts one digit of magnitudes whose bits from prefix_shift on are the prefix.
  void (*count_digits)(std::uint32_t* counts, const float* read, std::size_t count,
                       std::uint32_t prefix, std::uint32_t prefix_shift, std::uint32_t digit_shift,
                       std::uint32_t digit_mask);
  // How many magnitudes are above the limit, and how many are equal to it.
  void (*count_above)(const float* read, std::size_t count, std::uint32_t limit, std::size_t* above,
                      std::size_t* equal);
};

// The best ones for this processor.
const CompressionKernels& compression_kernels();

}  // namespace convoy::cpu
