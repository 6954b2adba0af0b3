#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::cpu {

// Loops of top_k, quantise and dequantise over contiguous f32. There is one instance per
// instruction set, all with the same bits. Magnitudes are integers: the bits of a float without its
// sign.
struct CompressionKernels {
  std::uint32_t (*largest_magnitude)(const float* read, std::size_t count);
  // Mean magnitude of the elements that are not zero, as CONVOY_CODE_SIGN defines it.
  float (*mean_magnitude)(const float* read, std::size_t count);
  void (*signs)(std::int8_t* codes, const float* read, std::size_t count);
  // codes <- read / scale, rounded, at most `most` in magnitude.
  void (*round_codes)(std::int8_t* codes, const float* read, float scale, float most,
                      std::size_t count);
  // write <- write + scale * codes
  void (*add_codes)(float* write, const std::int8_t* codes, float scale, std::size_t count);
  // write <- read - scale * codes, 0 if that is not finite; write may be read.
  void (*leave_rest)(float* write, const float* read, const std::int8_t* codes, float scale,
                     std::size_t count);
  // Counts one digit of the magnitudes whose bits from prefix_shift on equal the prefix.
  void (*count_digits)(std::uint32_t* counts, const float* read, std::size_t count,
                       std::uint32_t prefix, std::uint32_t prefix_shift, std::uint32_t digit_shift,
                       std::uint32_t digit_mask);
  // Counts the magnitudes above the limit, and those equal to it.
  void (*count_above)(const float* read, std::size_t count, std::uint32_t limit, std::size_t* above,
                      std::size_t* equal);
};

// Returns the best kernels for this processor.
const CompressionKernels& compression_kernels();

}  // namespace convoy::cpu
