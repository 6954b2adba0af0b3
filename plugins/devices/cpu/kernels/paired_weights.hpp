#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

inline constexpr std::size_t kWeightTile = 16;

// Converts tiles of 16 x 16 f32 weights to bf16 in pairs, the form that instructions with two bf16
// numbers per lane read: 8 lines of 16 pairs. `from` is the first of 16 rows of 16 consecutive
// floats, `to` the first line. Steps are in elements. Rounds to the nearest bf16, ties to even.
// There is one instance per instruction set, all with the same results.
struct PairedWeightsKernels {
  // Line i has the pairs (row 2 i, row 2 i + 1) of every column.
  void (*pair_rows)(const float* from, std::size_t row_step, Bf16* to, std::size_t line_step);
  // Line i has the pairs (column 2 i, column 2 i + 1) of every row.
  void (*pair_columns)(const float* from, std::size_t row_step, Bf16* to, std::size_t line_step);
};

const PairedWeightsKernels& paired_weights_kernels();

}  // namespace convoy::cpu
