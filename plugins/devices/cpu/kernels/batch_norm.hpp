#pragma once

#include <cstddef>

namespace convoy::cpu {

inline constexpr std::size_t kLargestBlock = 16;  // channels that lie side by side in storage

// Per channel of a block: what a forward pass does to an element x, within bounds:
// (x - mean) * scale + shift. Channels of padding have zeros everywhere.
struct NormaliseConstants {
  float mean[kLargestBlock];
  float scale[kLargestBlock];
  float shift[kLargestBlock];
  float lower, upper;  // of the relu; infinities when there is none
};

// Per channel of a block: the gradient of x from the gradient g of the result:
// factor * (g - offset - (x - mean) * slope). Channels of padding have zeros everywhere.
struct NormGradientConstants {
  float mean[kLargestBlock];
  float factor[kLargestBlock];
  float offset[kLargestBlock];
  float slope[kLargestBlock];
  NormaliseConstants forward;  // of the pass whose relu is undone
};

// The gradient of a result, before it is differentiated: an addend is added (null = none), and what
// the relu cut off is zeroed where `output`, the result behind it, says so (null = no). Either way
// the gradient itself becomes that.
struct JoinedGradient {
  float* gradient;
  const float* addend;
  const float* output;
  float upper;  // bound of the relu; infinity when there is none
};

// Loops over the cells of one block of channels of one image, which lie side by side in storage,
// one instance per instruction set. Multiplications and additions are rounded separately and every
// sum has one order, so that all instruction sets give the same bits.
struct BatchNormKernels {
  // Mean, and sum of the squared distances to it, of each channel. Both are taken over short runs
  // in f32, the squares about the run's own mean, and merged in double: nothing cancels.
  void (*moments)(const float* read, std::size_t cells, double* mean, double* squares);
  // addend may be null: what is added before the bounds are applied. write may be either input.
  void (*normalise)(float* write, const float* read, const float* addend, std::size_t cells,
                    const NormaliseConstants& constants);
  // Sums of g, joined, and of g * (x - mean). With a relu g is zero where the forward pass cut the
  // result off: that is computed once more from x, to the bit, which is cheaper than to read the
  // result.
  void (*gradient_sums)(const JoinedGradient& joined, const float* read, std::size_t cells,
                        bool relu, const NormGradientConstants& constants, double* sum,
                        double* product);
  // write may be the gradient or read. previous may be null: what is added, also write itself.
  void (*gradient)(float* write, const float* previous, const float* gradient, const float* read,
                   std::size_t cells, bool relu, const NormGradientConstants& constants);
};

// The best table for this processor; block: 8 or 16 channels.
const BatchNormKernels& batch_norm_kernels(std::size_t block);

}  // namespace convoy::cpu
