#include "core/simulate/memory_need.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/plan/stages.hpp"

namespace convoy::simulate {
namespace {

// Relus and additions overwrite what the layer before them keeps, and write their gradients over
// the gradient of their output.
bool works_in_place(const graph::GraphNode& node) {
  return node.layer.kind == CONVOY_LAYER_RELU || node.layer.kind == CONVOY_LAYER_ADD;
}

// The bytes per image that are kept for the backward pass: the output, in elements of this size,
// which for a concatenation is a copy; and a byte for each output of a pool, which says where the
// largest value was.
std::uint64_t kept_bytes(const graph::GraphNode& node, std::uint64_t element_bytes) {
  if (works_in_place(node)) return 0;
  const std::uint64_t elements = node.output.elements();
  return elements * element_bytes + (node.layer.kind == CONVOY_LAYER_MAX_POOL ? elements : 0);
}

// Updates that sum gradients themselves leave buffers for sums that no operation names.
std::vector<bool> named_buffers(const plan::Plan& lowered) {
  std::vector<bool> named(lowered.buffers.size());
  for (const std::vector<plan::Operation>* operations : plan::sections_of(lowered))
    for (const plan::Operation& operation : *operations)
      for (const auto* spans : {&operation.reads, &operation.writes})
        for (const plan::PlanSpan& span : *spans) named[span.buffer] = true;
  return named;
}

// Per buffer, the elements that updates change. Masters and optimizer state have only these
// elements.
std::vector<std::uint64_t> elements_of_updates(const plan::Plan& lowered) {
  std::vector<std::uint64_t> most(lowered.buffers.size());
  for (const std::vector<plan::Operation>* body : plan::bodies_of(lowered)) {
    std::vector<std::uint64_t> updated(lowered.buffers.size());
    for (const plan::Operation& operation : *body)
      if (operation.kind == plan::OperationKind::kApply)
        for (const plan::PlanSpan& span : operation.writes) updated[span.buffer] += span.count;
    for (std::size_t i = 0; i < updated.size(); ++i)
      most[i] = std::max(most[i], std::min(updated[i], lowered.buffers[i].count));
  }
  return most;
}

std::string gibibytes(std::uint64_t bytes) {
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1 << 30));
}

// The memory of a host also holds the needs of its CPU devices.
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

std::uint64_t input_elements(const graph::Graph& graph, const graph::GraphNode& node) {
  std::uint64_t elements = 0;
  for (const std::uint32_t input : node.inputs) elements += graph.nodes()[input].output.elements();
  return elements;
}

std::uint64_t element_bytes(bool half) {
  return half ? 2 : 4;
}

// The peak of training is in the backward pass of some layer, which needs everything that was kept
// up to it and the gradients of its output and its inputs; then the layer frees its activations.
// The peak of inference is at least the output of some layer and its inputs.
std::uint64_t bytes_per_image(const graph::Graph& graph, Work work, bool half) {
  std::uint64_t kept = 0;
  std::uint64_t most = 0;
  for (const graph::GraphNode& node : graph.nodes()) {
    if (work == Work::kTraining) kept += kept_bytes(node, element_bytes(half));
    const std::uint64_t inputs = works_in_place(node) ? 0 : input_elements(graph, node);
    most = std::max(most, kept + (node.output.elements() + inputs) * element_bytes(half));
  }
  return most;
}

}  // namespace

ReplicaNeed replica_need(const graph::Graph& graph, Work work, bool half) {
  const double variables = static_cast<double>(graph.parameter_count()) * sizeof(float);
  return {variables, work == Work::kTraining ? variables : 0,
          static_cast<double>(bytes_per_image(graph, work, half))};
}

std::vector<MemoryNeed> memory_needs(const plan::Plan& lowered, const graph::Graph& graph,
                                     std::uint32_t batch, std::uint32_t state_slots, bool half,
                                     const SimulatedMachine& machine) {
  std::vector<MemoryNeed> needs(lowered.cluster->places.size());
  const std::vector<std::uint64_t> updated = elements_of_updates(lowered);
  const std::vector<bool> named = named_buffers(lowered);
  for (std::size_t i = 0; i < lowered.buffers.size(); ++i) {
    const plan::PlanBuffer& buffer = lowered.buffers[i];
    if (!named[i]) continue;
    const bool shared_out = buffer.kind == CONVOY_BUFFER_MASTER && updated[i] > 0;
    needs[buffer.place].buffers +=
        (shared_out ? updated[i] : buffer.count) * plan::dtype_bytes(buffer.dtype);
    needs[buffer.place].optimizer_state += state_slots * updated[i] * plan::dtype_bytes(CONVOY_F32);
  }
  const std::uint64_t activations = bytes_per_image(graph, Work::kTraining, half) * batch;
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

std::string memory_problem(const std::vector<MemoryNeed>& needs, const plan::Cluster& cluster,
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
