#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace convoy::cuda {

// Bytes that one program needs for a batch of this size; must not fall as the batch grows.
using MemoryNeed = std::function<std::uint64_t(std::uint32_t batch)>;

// What a GPU's memory is to hold, and what there is of it.
struct MemoryOffer {
  std::uint64_t available = 0;  // bytes that programs may have, reserve deducted
  // Bytes that the run's parameters, gradients, optimizer state and the strategy's buffers have
  // already, programs not counted.
  std::uint64_t held = 0;
  // Programs that are still to come on this GPU, of devices that share it: this one included.
  std::uint32_t programs = 1;
};

// The largest batch up to `most` with which all programs fit; 0 when not even one image does.
std::uint32_t largest_batch(const MemoryNeed& need, std::uint32_t most, const MemoryOffer& offer);

// Empty when the batch fits; else how much the whole run needs and has, and the largest batch that
// fits.
std::string batch_problem(const MemoryNeed& need, std::uint32_t batch, const MemoryOffer& offer);

// Bytes that convolutions may use besides activations, where so many are free for a program. A
// power of two: choices of algorithms, which are kept by it, are the same when a little more is
// free.
std::uint64_t workspace_limit(std::uint64_t available);

// Why the plan's own memory cannot be had, which no other batch changes. wanted: bytes asked for,
// available: free ones, held: had so far.
std::string plan_problem(std::uint64_t wanted, std::uint64_t available, std::uint64_t held);

}  // namespace convoy::cuda
