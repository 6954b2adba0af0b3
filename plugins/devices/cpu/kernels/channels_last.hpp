#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// Cells with all their channels consecutive, the form of bf16 activations: element (cell, channel)
// is at cell * channels + channel.
struct ChannelsLast {
  std::size_t cells, channels;
};

// Per channel: the constants of a batch norm's forward pass. It computes (x - mean) * scale + shift
// of an element x, within bounds.
struct NormConstants {
  const float* mean;
  const float* scale;
  const float* shift;
  float lower, upper;  // bounds of the relu; infinities when there is none
};

// Per channel: the constants of the gradient of x from the gradient g of the result: scale * (g -
// offset - (x - mean) * slope).
struct NormBackwardConstants {
  NormConstants forward;
  const float* offset;
  const float* slope;
};

// The gradient of the result, prepared in place: `addend` is added if given, then elements that the
// relu clipped are set to zero if `output` (the forward result) is given.
struct JoinedBf16Gradient {
  Bf16* gradient;
  const Bf16* addend;
  const Bf16* output;
};

// Loops over bf16 activations with channels last, computed in f32 and rounded to the nearest bf16,
// ties to even. There is one instance per instruction set. Sums have one order and contract
// nothing, so that all instruction sets give the same bits.
struct ChannelsLastKernels {
  // Copy one block of 16 channels, from first_channel on, of all cells, to f32 and back; the f32
  // have the order [cell][channel of the block]. Channels beyond the last are zeros in f32, and are
  // not written back.
  void (*gather)(const ChannelsLast& shape, const Bf16* read, std::size_t first_channel,
                 float* write);
  void (*scatter)(const ChannelsLast& shape, const float* read, std::size_t first_channel,
                  Bf16* write);
  // Adds to the sums of x - pivot and of its square, per channel.
  void (*moments)(const ChannelsLast& shape, const Bf16* read, const float* pivot, double* sum,
                  double* squares);
  // addend is added before the bounds are applied, and may be null. write may be either input.
  void (*normalise)(const ChannelsLast& shape, Bf16* write, const Bf16* read, const Bf16* addend,
                    const NormConstants& constants);
  // Adds to the sums of the prepared gradient g and of g * (x - mean). With relu, g is zero if the
  // forward pass clipped the result, which is computed again from x, with the same bits.
  void (*gradient_sums)(const ChannelsLast& shape, const JoinedBf16Gradient& joined,
                        const Bf16* read, bool relu, const NormConstants& constants, double* sum,
                        double* product);
  // write may be the gradient or read. previous is added, and may be null or write itself.
  void (*gradient)(const ChannelsLast& shape, Bf16* write, const Bf16* previous,
                   const Bf16* gradient, const Bf16* read, bool relu,
                   const NormBackwardConstants& constants);
};

// Returns the best kernels for this processor.
const ChannelsLastKernels& channels_last_kernels();

}  // namespace convoy::cpu
