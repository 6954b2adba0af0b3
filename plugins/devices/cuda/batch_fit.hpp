#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace convoy::cuda {

// Bytes that a program needs for a batch of this size; must not fall as the batch grows.
using MemoryNeed = std::function<std::uint64_t(std::uint32_t batch)>;

// The largest batch up to `most` that fits into `available` bytes; 0 when not even one image does.
std::uint32_t largest_batch(const MemoryNeed& need, std::uint32_t most, std::uint64_t available);

// Empty when the batch fits; else how much is needed and available, and the largest batch that
// fits.
std::string batch_problem(const MemoryNeed& need, std::uint32_t batch, std::uint64_t available);

}  // namespace convoy::cuda
