#pragma once

#include <cstddef>

#include "plugins/devices/cpu/kernels/bf16.hpp"

namespace convoy::cpu {

// Cells with all their channels side by side, the form of bf16 activations: element (cell, channel)
// is at cell * channels + channel.
struct ChannelsLast {
  std::size_t cells, channels;
};

// Per channel: what a batch norm's forward pass does to an element x, within bounds:
// (x - mean) * scale + shift.
struct NormConstants {
  const float* mean;
  const float* scale;
  const float* shift;
  float lower, upper;  // of the relu; infinities when there is none
};

// Per channel: the gradient of x from the gradient g of the result:
// scale * (g - offset - (x - mean) * slope).
struct NormBackwardConstants {
  NormConstants forward;
  const float* offset;
  const float* slope;
};

// The gradient of a result, before it is differentiated: an addend is added (null = none), and what
// the relu cut off is zeroed where `output`, the result behind it, says so (null = no). Where
// either is there, the gradient in memory becomes that.
struct JoinedBf16Gradient {
  Bf16* gradient;
  const Bf16* addend;
  const Bf16* output;
};

// Loops over bf16 activations with channels last, computed in f32 and rounded to the nearest bf16,
// ties to even; one instance per instruction set. Sums have one order and contract nothing, so that
// all instruction sets give the same bits.
struct ChannelsLastKernels {
  // One block of 16 channels, from first_channel on, of all cells, from and to f32 as
  // [cell][channel of the block]. Channels beyond the last are zeros, or are not written.
  void (*gather)(const ChannelsLast& shape, const Bf16* read, std::size_t first_channel,
                 float* write);
  void (*scatter)(const ChannelsLast& shape, const float* read, std::size_t first_channel,
                  Bf16* write);
  // Adds to the sums of x - pivot and of its square, per channel.
  void (*moments)(const ChannelsLast& shape, const Bf16* read, const float* pivot, double* sum,
                  double* squares);
  // addend may be null: what is added before the bounds are applied. write may be either input.
  void (*normalise)(const ChannelsLast& shape, Bf16* write, const Bf16* read, const Bf16* addend,
                    const NormConstants& constants);
  // Adds to the sums of g, joined, and of g * (x - mean). With relu g is zero where the forward
  // pass cut the result off, which is computed once more from x, to the bit.
  void (*gradient_sums)(const ChannelsLast& shape, const JoinedBf16Gradient& joined,
                        const Bf16* read, bool relu, const NormConstants& constants, double* sum,
                        double* product);
  // write may be the gradient or read. previous may be null: what is added, also write itself.
  void (*gradient)(const ChannelsLast& shape, Bf16* write, const Bf16* previous,
                   const Bf16* gradient, const Bf16* read, bool relu,
                   const NormBackwardConstants& constants);
};

// The kernels that suit this processor best.
const ChannelsLastKernels& channels_last_kernels();

}  // namespace convoy::cpu
