#pragma once

#include <convoy/abi.h>

#include <cstddef>

#include "plugins/devices/cpu/onednn.hpp"

namespace convoy::cpu {

// Whether every filter of the convolution reads one channel and the plug-in's own kernels support
// its windows. `input` is the node that it reads.
bool is_depthwise(const convoy_node& node, const convoy_node& input);

// Returns the channels per block in which the library would store a depthwise convolution's
// activations; 0 if it would not store them in blocks.
std::size_t depthwise_block(const dnnl::convolution_forward::primitive_desc& forward);

// Returns the storage of its weights for the plug-in's own kernels: [block of
// channels][tap][channel], as a variable of four dimensions. No pass has to reorder it.
Desc depthwise_weights(const convoy_node& node, std::size_t block);

}  // namespace convoy::cpu
