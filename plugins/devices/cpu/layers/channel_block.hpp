#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>

namespace convoy::cpu {

// Channels per block of float32 activations that are stored densely in blocks of 8 or 16 channels
// (nChw8c, nChw16c: what oneDNN chooses with AVX2 and with AVX-512); 0 for every other layout.
std::size_t channel_block(const dnnl::memory::desc& activations);

// The layout of such activations: block is 8 or 16.
dnnl::memory::format_tag blocked_activations(std::size_t block);

// Channels per block when a convolution's activations are stored so and its weights in the blocks
// that belong to them (OIhw8i8o, OIhw16i16o); 0 otherwise.
std::size_t common_channel_block(const dnnl::memory::desc& source,
                                 const dnnl::memory::desc& weights,
                                 const dnnl::memory::desc& result);

}  // namespace convoy::cpu
