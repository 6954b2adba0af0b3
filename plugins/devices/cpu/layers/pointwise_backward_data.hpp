#pragma once

#include <convoy/abi.h>

#include <cstddef>

namespace convoy::cpu {

class ProgramBuilder;

// Whether the gradient of what a convolution reads is best computed as a forward convolution with
// transposed weights, over the result's cells: bf16 filters of one tap. The library's forward pass
// is faster than its backward pass, which also goes through the cells that a stride leaves out.
bool suits_pointwise_backward_data(const ProgramBuilder& builder, std::size_t node);

// Appends it, and the zeros of the cells that a stride leaves out.
void build_pointwise_backward_data(ProgramBuilder& builder, std::size_t node);

}  // namespace convoy::cpu
