#pragma once

#include <cstddef>

namespace convoy::cpu {

class ProgramBuilder;

// Appends the gradient of what a bf16 convolution reads, computed as a forward convolution of the
// result's gradient with transposed weights: filters of one tap, and lines of taps (1x7, 7x1) of
// stride 1, turned around. The library's forward pass is faster there than its backward pass, which
// also multiplies the zeros that a stride leaves out. False, and nothing is appended, for others.
bool build_transposed_convolution(ProgramBuilder& builder, std::size_t node);

}  // namespace convoy::cpu
