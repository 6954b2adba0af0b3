#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace convoy::cuda {

// Returns the bytes that one program needs for a batch of this size; must not decrease as the batch
// grows.
using MemoryNeed = std::function<std::uint64_t(std::uint32_t batch)>;

// The memory of a GPU and its use.
struct MemoryOffer {
  std::uint64_t available = 0;  // bytes for programs, without the reserve
  // Bytes that the run's parameters, gradients, optimizer state and the strategy's buffers occupy
  // already, without programs.
  std::uint64_t held = 0;
  // Programs still to be compiled on this GPU, for all devices that share it, this one included.
  std::uint32_t programs = 1;
};

// Returns the largest batch up to `most` with which all programs fit; 0 when not even one image
// fits.
std::uint32_t largest_batch(const MemoryNeed& need, std::uint32_t most, const MemoryOffer& offer);

// Returns an empty text when the batch fits. Otherwise the text states how much the whole run needs
// and has, and the largest batch that fits.
std::string batch_problem(const MemoryNeed& need, std::uint32_t batch, const MemoryOffer& offer);

// Returns the bytes that convolutions may use besides activations, if a program has that much
// memory free. It is a power of two: choices of algorithms are cached by it, so they stay the same
// when a little more is free.
std::uint64_t workspace_limit(std::uint64_t available);

// Returns why the plan's own memory cannot be allocated, which no other batch changes. wanted:
// requested bytes; available: free bytes; held: bytes allocated so far.
std::string plan_problem(std::uint64_t wanted, std::uint64_t available, std::uint64_t held);

}  // namespace convoy::cuda
