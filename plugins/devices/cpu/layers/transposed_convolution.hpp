#pragma once

#include <cstddef>

namespace convoy::cpu {

class ProgramBuilder;

// Appends the gradient of a bf16 convolution's input, computed as a forward convolution of the
// result's gradient with transposed weights. It supports filters of one tap, and lines of taps
// (1x7, 7x1) of stride 1, which are mirrored. The library's forward pass is faster there than its
// backward pass, which also multiplies the zeros that a stride leaves out. Returns false and
// appends nothing for others.
bool build_transposed_convolution(ProgramBuilder& builder, std::size_t node);

}  // namespace convoy::cpu
