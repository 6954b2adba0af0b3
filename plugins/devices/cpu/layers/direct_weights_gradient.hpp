#pragma once

#include <convoy/abi.h>

#include <cstddef>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

class ProgramBuilder;

// Where the plug-in's own kernels were measured to be faster than the library's: filters of more
// than one tap over blocks of channels.
bool suits_direct_weights_gradient(const convoy_node& node, const convoy_node& input,
                                   const convoy_compilation& compilation);

// Appends the gradients of a convolution's weights and bias, computed by the plug-in's own kernels
// (WeightsGradient). False, and nothing is appended, when what the forward pass reads and writes is
// not stored in the blocks of channels that they need.
bool build_direct_weights_gradient(ProgramBuilder& builder, std::size_t node,
                                   const dnnl::convolution_forward::primitive_desc& forward);

// The same for bf16 activations with channels last, by bf16 products (Bf16WeightsGradient). False,
// and nothing is appended, where those are missing or the library is faster.
bool build_bf16_weights_gradient(ProgramBuilder& builder, std::size_t node);

}  // namespace convoy::cpu
