#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/plan/plan.hpp"
#include "core/simulate/machine/simulated_machine.hpp"

namespace convoy::simulate {

// The bytes that a place has to hold.
struct MemoryNeed {
  std::uint64_t buffers = 0;  // buffers of the lowered plan, staging included
  std::uint64_t optimizer_state = 0;
  std::uint64_t activations = 0;  // activations of a device's replica, and their gradients
  std::uint64_t reserved = 0;     // memory that the device's software takes
  MemoryNeed& operator+=(const MemoryNeed& other);
  std::uint64_t total() const { return buffers + optimizer_state + activations + reserved; }
};

enum class Work { kInference, kTraining };

// The least memory, in bytes, of a device that computes a whole network.
struct ReplicaNeed {
  double variables = 0;
  double gradients = 0;  // of the variables
  double per_image = 0;  // activations and their gradients, when they take most
  double of(double batch) const { return variables + gradients + batch * per_image; }
};

// With `half`, activations have 16 bits.
ReplicaNeed replica_need(const graph::Graph& graph, Work work, bool half);

// Returns the need of each place of the plan's cluster. With `half`, activations have 16 bits.
std::vector<MemoryNeed> memory_needs(const plan::Plan& lowered, const graph::Graph& graph,
                                     std::uint32_t batch, std::uint32_t state_slots, bool half,
                                     const SimulatedMachine& machine);

// Returns an empty text if every place whose memory is known can hold its need. A host also holds
// the need of its CPU devices. Otherwise the text names the place, what it needs and what it has.
std::string memory_problem(const std::vector<MemoryNeed>& needs, const plan::Cluster& cluster,
                           const SimulatedMachine& machine);

}  // namespace convoy::simulate
