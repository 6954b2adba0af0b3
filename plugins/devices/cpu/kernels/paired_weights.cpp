// Compiled once per instruction set, as kernels.cpp is.
#include "plugins/devices/cpu/kernels/paired_weights.hpp"

#include "plugins/devices/cpu/kernels/channel_lanes.hpp"

namespace convoy::cpu::CONVOY_KERNEL_SET {
namespace {

static_assert(kWeightTile == kLanes);
constexpr std::size_t kLines = kWeightTile / 2;
constexpr Words kUpperHalf = Words{} + 0xffff0000u;

inline Words rounded_row(const float* from) {
  Vector value;
  __builtin_memcpy(&value, from, sizeof value);
  return rounded(value);
}

inline void store_line(Bf16* to, Words line) {
  __builtin_memcpy(to, &line, sizeof line);
}

void pair_rows(const float* from, std::size_t row_step, Bf16* to, std::size_t line_step) {
  for (std::size_t line = 0; line < kLines; ++line) {
    const float* const row = from + 2 * line * row_step;
    store_line(to + line * line_step,
               rounded_row(row) >> 16 | (rounded_row(row + row_step) & kUpperHalf));
  }
}

// Interleaves the words of two vectors, in each quarter of a register.
inline Words low_words(Words a, Words b) {
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
}
inline Words high_words(Words a, Words b) {
  return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
}
inline Words low_pairs(Words a, Words b) {
  return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
}
inline Words high_pairs(Words a, Words b) {
  return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}
// Interleaves the quarters of two vectors, in each half of a register.
inline Words low_quarters(Words a, Words b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
}
inline Words high_quarters(Words a, Words b) {
  return __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
}

// Returns the 8 pairs of one row, then those of another.
inline Words pairs_of(Words first, Words second) {
  const Words even = __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20,
                                             22, 24, 26, 28, 30);
  const Words odd = __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21,
                                            23, 25, 27, 29, 31);
  return even >> 16 | (odd & kUpperHalf);
}

// Transposes the pairs of rows 0 to 7 in the lower halves of the registers and those of rows 8 to
// 15 in the upper halves.
void pair_columns(const float* from, std::size_t row_step, Bf16* to, std::size_t line_step) {
  Words rows[kLines];
  for (std::size_t i = 0; i < kLines; ++i) {
    rows[i] =
        pairs_of(rounded_row(from + i * row_step), rounded_row(from + (i + kLines) * row_step));
  }
  Words fours[kLines];  // rows 0 to 3, then rows 4 to 7
  for (std::size_t i = 0; i < kLines; i += 4) {
    const Words low[2] = {low_words(rows[i], rows[i + 1]), low_words(rows[i + 2], rows[i + 3])};
    const Words high[2] = {high_words(rows[i], rows[i + 1]), high_words(rows[i + 2], rows[i + 3])};
    fours[i] = low_pairs(low[0], low[1]);
    fours[i + 1] = high_pairs(low[0], low[1]);
    fours[i + 2] = low_pairs(high[0], high[1]);
    fours[i + 3] = high_pairs(high[0], high[1]);
  }
  for (std::size_t i = 0; i < kLines / 2; ++i) {
    store_line(to + i * line_step, low_quarters(fours[i], fours[i + 4]));
    store_line(to + (i + 4) * line_step, high_quarters(fours[i], fours[i + 4]));
  }
}

}  // namespace

extern const PairedWeightsKernels kPairedWeights;
const PairedWeightsKernels kPairedWeights = {pair_rows, pair_columns};

}  // namespace convoy::cpu::CONVOY_KERNEL_SET
