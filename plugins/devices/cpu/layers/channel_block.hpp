#pragma once

#include <cstddef>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// Returns the channels per block of float32 activations that are stored densely in blocks of 8 or
// 16 channels (nChw8c, nChw16c, which oneDNN chooses with AVX2 and with AVX-512); 0 for every other
// layout.
std::size_t channel_block(const Desc& activations);

// Whether activations are stored as bf16 with all channels of a cell side by side.
bool has_channels_last(const Desc& activations);

// Returns the channels per block of the planes in which activations of either kind are stored or to
// which they are converted; 0 for every other layout.
std::size_t plane_block(const Desc& activations);

// The layout of f32 activations in blocks of 8 or 16 channels.
dnnl::memory::format_tag blocked_activations(std::size_t block);

// Returns the channels per block if a convolution's activations are stored in such blocks and its
// weights in the matching blocks (OIhw8i8o, OIhw16i16o); 0 otherwise.
std::size_t common_channel_block(const Desc& source, const Desc& weights, const Desc& result);

// The weights that Winograd's kernels read with bf16 activations: f32 in blocks of 16 x 16
// channels.
Desc winograd_bf16_weights(const dnnl::memory::dims& dims);

}  // namespace convoy::cpu
