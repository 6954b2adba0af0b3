#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// One image of an activation: cells with vectors of at most 16 consecutive channels. Lane l of
// vector v of a cell is channel v * width + l, at cell * cell_step + v * vector_step + l. Blocks of
// channels are such vectors, and so are the pieces of a cell with channels last.
struct CellGrid {
  std::size_t cells, channels;
  std::size_t vectors, width;
  std::size_t cell_step, vector_step;  // elements
  bool pads;  // lanes behind the last channel are stored, as zeros; else they are other data
};

// A null gamma stands for ones.
struct CellNorm {
  const float* gamma;
  const float* beta;
  float epsilon;
};

// Loops over the cells of one image, computed in f32 and rounded to the element's type. There is
// one instance per instruction set, all with the same bits.
template <typename Element>
struct CellKernels {
  // For one vector of all cells: write <- read * factors[channel].
  void (*scale)(const CellGrid& grid, std::size_t vector, const Element* read, const float* factors,
                Element* write);
  // The gradients: write <- (write, if it adds, +) gradient * factors[channel], unless write is
  // null; and sums[channel] <- the sum of gradient * read.
  void (*scale_backward)(const CellGrid& grid, std::size_t vector, const Element* read,
                         const Element* gradient, const float* factors, Element* write, bool adds,
                         float* sums);
  // Normalises each of the cells [first, end) over its channels; also computes each one's mean and
  // 1 / deviation.
  void (*norm)(const CellGrid& grid, const CellNorm& norm, std::size_t first, std::size_t end,
               const Element* read, Element* write, float* mean, float* inverse);
  // The gradients; those of gamma and beta, per channel, are added to sums.
  void (*norm_backward)(const CellGrid& grid, const float* gamma, std::size_t first,
                        std::size_t end, const Element* read, const Element* gradient,
                        const float* mean, const float* inverse, Element* write, bool adds,
                        double* gamma_sums, double* beta_sums);
};

// Returns the best kernels for this processor.
template <typename Element>
const CellKernels<Element>& cell_kernels();
template <>
const CellKernels<float>& cell_kernels<float>();
template <>
const CellKernels<Bf16>& cell_kernels<Bf16>();

}  // namespace convoy::cpu
