#include "topology/graph/machine_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {

void add_notes(Machine& machine) {
  const std::vector<std::size_t> gpus = nodes_of(machine, NodeKind::gpu);
  if (gpus.empty()) {
    machine.notes.push_back(nodes_of(machine, NodeKind::host_bridge).empty()
                                ? "no PCI devices are shown: a container may hide /sys, or the "
                                  "source was written without them"
                                : "no GPU was found");
    return;
  }
  const auto bus = machine.nodes[gpus.front()].parent;
  const auto is_flat = [&](std::size_t gpu) {
    // Sources without addresses omit the root ports, which every GPU of a real board has.
    return bus && machine.nodes[gpu].address && machine.nodes[gpu].parent == bus &&
           machine.nodes[*bus].kind == NodeKind::host_bridge;
  };
  if (gpus.size() > 1 && std::all_of(gpus.begin(), gpus.end(), is_flat))
    machine.notes.emplace_back(
        "all GPUs are on a flat bus: a virtual machine hides the switches that they share");
  std::size_t unknown = 0;
  for (const Link& link : machine.links)
    if (link.kind == LinkKind::pcie && !link.a_to_b.known()) ++unknown;
  if (unknown > 0)
    machine.notes.push_back(fmt::format("the speed of {} PCI Express links is unknown", unknown));
}

}  // namespace convoy::topology
