#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/plan/plan.hpp"
#include "core/simulate/machine/simulated_machine.hpp"

namespace convoy::simulate {

// What a place has to hold, in bytes.
struct MemoryNeed {
  std::uint64_t buffers = 0;  // of the lowered plan, staging included
  std::uint64_t optimizer_state = 0;
  std::uint64_t activations = 0;  // of a device's replica, and their gradients
  std::uint64_t reserved = 0;     // by the device's software
  MemoryNeed& operator+=(const MemoryNeed& other);
  std::uint64_t total() const { return buffers + optimizer_state + activations + reserved; }
};

// The most that an image takes at a time in the layers of a device: in the backward pass of some
// layer, what was kept up to it and the gradients of its output and its inputs.
std::uint64_t training_bytes_per_image(const Graph& graph, bool half);
// Likewise without a backward pass: the output of some layer and its inputs, at least.
std::uint64_t inference_bytes_per_image(const Graph& graph, bool half);

// Per place of the plan's cluster. `half`: activations in 16 bits.
std::vector<MemoryNeed> memory_needs(const Plan& lowered, const Graph& graph, std::uint32_t batch,
                                     std::uint32_t state_slots, bool half,
                                     const SimulatedMachine& machine);

// Empty when every place of known memory holds its share (a host also that of its CPU devices).
// Otherwise names the place, what it needs and what it has.
std::string memory_problem(const std::vector<MemoryNeed>& needs, const Cluster& cluster,
                           const SimulatedMachine& machine);

}  // namespace convoy::simulate
