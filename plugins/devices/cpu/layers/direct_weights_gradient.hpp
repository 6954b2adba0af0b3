#pragma once

#include <convoy/abi.h>

#include <cstddef>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

class ProgramBuilder;

// Whether the plug-in's own kernels were measured to be faster than the library's: for filters of
// more than one tap over blocks of channels.
bool suits_direct_weights_gradient(const convoy_node& node, const convoy_node& input,
                                   const convoy_compilation& compilation);

// Appends the gradients of a convolution's weights and bias, computed by the plug-in's own kernels
// (WeightsGradient). Returns false and appends nothing if the input and output of the forward pass
// are not stored in the blocks of channels that they need.
bool build_direct_weights_gradient(ProgramBuilder& builder, std::size_t node,
                                   const dnnl::convolution_forward::primitive_desc& forward);

// The same for bf16 activations with channels last, with bf16 products (Bf16WeightsGradient).
// Returns false and appends nothing if the processor lacks them or the library is faster.
bool build_bf16_weights_gradient(ProgramBuilder& builder, std::size_t node);

}  // namespace convoy::cpu
