#include "topology/detect/detect.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <fstream>

#include "core/base/error.hpp"
#include "topology/detect/hwloc_topology.hpp"
#include "topology/detect/usable_cores.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/machine_notes.hpp"
#include "topology/read/hwloc_reader.hpp"

namespace convoy::topology {
namespace {

std::string export_xml(hwloc_topology_t topology) {
  char* buffer = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(topology, &buffer, &length, 0) != 0) return {};
  std::string text(buffer, static_cast<std::size_t>(length));
  hwloc_free_xmlbuffer(topology, buffer);
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

// Returns the machine for when hwloc reports nothing.
Machine unseen_machine() {
  Machine machine;
  machine.source = "hwloc";
  const std::size_t host = append_node(machine, NodeKind::host, "host0", {});
  append_node(machine, NodeKind::package, "package0", host);
  machine.nodes.back().cores.source = "hwloc could not load the topology";
  machine.notes.emplace_back("hwloc could not load this machine's topology");
  return machine;
}

// The "hypervisor" flag of processors is set only in virtual machines.
void read_hypervisor(Machine& machine, const std::filesystem::path& processors) {
  std::ifstream stream(processors);
  std::string line;
  while (std::getline(stream, line)) {
    if (!line.starts_with("flags")) continue;
    machine.virtual_machine = {line.find(" hypervisor") != std::string::npos,
                               processors.string() + " flags"};
    return;
  }
}

// Notes cores that the process may not use because of taskset. Cores that a control group hides are
// not in the machine at all.
void note_bound_cores(Machine& machine, const UsableCores& cores) {
  if (cores.cores.size() >= cores.present) return;
  machine.notes.push_back(
      fmt::format("this process may use {} of the {} cores (taskset -p says "
                  "which); its CPU devices share these",
                  cores.cores.size(), cores.present));
}

}  // namespace

Machine detect_machine(const DetectSettings& settings) {
  const HwlocTopology topology = load_hwloc([](hwloc_topology_t it) {
    hwloc_topology_set_io_types_filter(it, HWLOC_TYPE_FILTER_KEEP_ALL);
  });
  const std::string text = topology ? export_xml(topology.get()) : std::string();
  Machine machine = text.empty() ? unseen_machine() : read_hwloc_xml(text, "hwloc");
  machine.source = "this machine";
  if (topology && hwloc_topology_is_thissystem(topology.get()) == 0) {
    machine.source = "hwloc's environment variables";
    machine.notes.emplace_back("hwloc was told to show another machine than this one");
    add_notes(machine);
    return machine;
  }
  read_hypervisor(machine, settings.processors);
  read_sysfs_speeds(machine, settings.sysfs);
  read_nvml(machine, settings.nvml, settings.variables);
  if (topology) note_bound_cores(machine, usable_cores(topology.get()));
  add_notes(machine);
  return machine;
}

}  // namespace convoy::topology
