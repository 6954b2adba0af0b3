#pragma once

#include <convoy/compression.hpp>
#include <vector>

#include "core/conformance/operands.hpp"

namespace convoy::conformance {

// The place of the third span of a compressing operation.
enum class Third { kNone, kApart, kInPlace };

// Returns a top_k that selects `taken` of the values.
Operands top_k_of(const std::vector<float>& values, std::uint64_t taken, Third rest);
Operands quantise_of(const std::vector<float>& values, const Coding& coding, Third rest);
// Returns an operation that adds `messages` messages of noise to zero or to noise.
Operands scatter_onto(std::uint64_t count, std::uint64_t taken, std::uint64_t messages, Third onto);
Operands dequantise_onto(std::uint64_t count, const Coding& coding, std::uint64_t messages,
                         Third onto);

}  // namespace convoy::conformance
