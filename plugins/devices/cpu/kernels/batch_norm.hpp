#pragma once

#include <cstddef>

namespace convoy::cpu {

inline constexpr std::size_t kLargestBlock = 16;  // channels that are consecutive in storage

// Per channel of a block: the constants of the forward pass. It computes (x - mean) * scale + shift
// of an element x, within bounds. Padding channels have zeros everywhere.
struct NormaliseConstants {
  float mean[kLargestBlock];
  float scale[kLargestBlock];
  float shift[kLargestBlock];
  float lower, upper;  // bounds of the relu; infinities when there is none
};

// Per channel of a block: the constants of the gradient of x from the gradient g of the result:
// factor * (g - offset - (x - mean) * slope). Padding channels have zeros everywhere.
struct NormGradientConstants {
  float mean[kLargestBlock];
  float factor[kLargestBlock];
  float offset[kLargestBlock];
  float slope[kLargestBlock];
  NormaliseConstants forward;  // of the pass whose relu is undone
};

// The gradient of the result, prepared in place: `addend` is added if given, then elements that the
// relu clipped are set to zero if `output` (the forward result) is given.
struct JoinedGradient {
  float* gradient;
  const float* addend;
  const float* output;
  float upper;  // bound of the relu; infinity when there is none
};

// Loops over the cells of one block of channels of one image, which are consecutive in storage.
// There is one instance per instruction set. Multiplications and additions are rounded separately
// and every sum has one order, so that all instruction sets give the same bits.
struct BatchNormKernels {
  // Computes the mean, and the sum of the squared distances to it, of each channel. Both are
  // computed in f32 over short runs, with squares about the run's own mean, and merged in double.
  // This avoids cancellation.
  void (*moments)(const float* read, std::size_t cells, double* mean, double* squares);
  // addend is added before the bounds are applied, and may be null. write may be either input.
  void (*normalise)(float* write, const float* read, const float* addend, std::size_t cells,
                    const NormaliseConstants& constants);
  // Computes the sums of the prepared gradient g and of g * (x - mean). With a relu, g is zero if
  // the forward pass clipped the result. This is computed again from x, with the same bits, which
  // is cheaper than reading the result.
  void (*gradient_sums)(const JoinedGradient& joined, const float* read, std::size_t cells,
                        bool relu, const NormGradientConstants& constants, double* sum,
                        double* product);
  // write may be the gradient or read. previous is added, and may be null or write itself.
  void (*gradient)(float* write, const float* previous, const float* gradient, const float* read,
                   std::size_t cells, bool relu, const NormGradientConstants& constants);
};

// Returns the best table for this processor; block: 8 or 16 channels.
const BatchNormKernels& batch_norm_kernels(std::size_t block);

}  // namespace convoy::cpu
