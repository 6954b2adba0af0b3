#include "core/simulate/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace convoy::simulate {
namespace {

// Whether the layer's output is kept for the backward pass; relus and additions work in place, on
// what the layer before them keeps.
bool keeps_output(const GraphNode& node) {
  const std::uint32_t kind = node.layer.kind;
  return kind != CONVOY_LAYER_RELU && kind != CONVOY_LAYER_ADD && kind != CONVOY_LAYER_CONCAT;
}

// Outputs kept for backward, and two gradients of the largest size at a time.
std::uint64_t activation_bytes(const Graph& graph, std::uint32_t batch, bool half) {
  std::uint64_t kept = 0;
  std::uint64_t largest = 0;
  for (const GraphNode& node : graph.nodes()) {
    if (keeps_output(node)) kept += node.output.elements();
    largest = std::max(largest, node.output.elements());
  }
  return (kept + 2 * largest) * batch * (half ? 2 : 4);
}

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
}

// A host's memory holds its CPU devices' shares, too.
std::vector<MemoryNeed> needs_of_memories(const std::vector<MemoryNeed>& needs,
                                          const SimulatedMachine& machine) {
  std::vector<MemoryNeed> result = needs;
  for (std::size_t place = 0; place < needs.size(); ++place) {
    if (!machine.places[place].in_host_memory) continue;
    const auto of_host = [&](const SimulatedPlace& other) {
      return other.device == CONVOY_NONE && other.host == machine.places[place].host;
    };
    const auto host = std::ranges::find_if(machine.places, of_host);
    if (host == machine.places.end()) continue;
    result[static_cast<std::size_t>(host - machine.places.begin())] += needs[place];
  }
  return result;
}

}  // namespace

std::vector<MemoryNeed> memory_needs(const Plan& lowered, const Graph& graph, std::uint32_t batch,
                                     std::uint32_t state_slots, bool half,
                                     const SimulatedMachine& machine) {
  std::vector<MemoryNeed> needs(lowered.cluster->places.size());
  for (const PlanBuffer& buffer : lowered.buffers)
    needs[buffer.place].buffers += buffer.count * dtype_bytes(buffer.dtype);
  std::set<std::uint32_t> updated;
  for (const auto* section : {&lowered.prologue, &lowered.body})
    for (const Operation& operation : *section)
      if (operation.kind == OperationKind::kApply)
        for (const PlanSpan& span : operation.writes) updated.insert(span.buffer);
  for (const std::uint32_t index : updated)
    needs[lowered.buffers[index].place].optimizer_state +=
        state_slots * lowered.buffers[index].count * dtype_bytes(CONVOY_F32);
  const std::uint64_t activations = activation_bytes(graph, batch, half);
  for (const std::uint32_t place : lowered.cluster->replica_place) {
    needs[place].activations += activations;
    needs[place].reserved = machine.devices[machine.places[place].device].reserved_bytes;
  }
  return needs;
}

MemoryNeed& MemoryNeed::operator+=(const MemoryNeed& other) {
  buffers += other.buffers;
  optimizer_state += other.optimizer_state;
  activations += other.activations;
  reserved += other.reserved;
  return *this;
}

std::string memory_problem(const std::vector<MemoryNeed>& needs, const Cluster& cluster,
                           const SimulatedMachine& machine) {
  const std::vector<MemoryNeed> there_needs = needs_of_memories(needs, machine);
  for (std::size_t place = 0; place < needs.size(); ++place) {
    const std::uint64_t there = machine.places[place].memory_bytes;
    const MemoryNeed& need = there_needs[place];
    if (there == 0 || need.total() <= there) continue;
    return fmt::format(
        "{} has {} of memory, and the plan needs {} there: {} for variables, gradients and "
        "staging, {} for the optimizer, {} for activations, {} for the software",
        cluster.places[place].name, gibibytes(there), gibibytes(need.total()),
        gibibytes(need.buffers), gibibytes(need.optimizer_state), gibibytes(need.activations),
        gibibytes(need.reserved));
  }
  return "";
}

}  // namespace convoy::simulate
