#include "topology/write/hwloc_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "topology/graph/graph_edit.hpp"
#include "topology/write/hwloc_matrix_writer.hpp"
#include "topology/write/hwloc_pci_writer.hpp"

namespace convoy::topology {
namespace {

using Units = std::set<std::uint32_t>;

constexpr std::uint32_t kMostUnits = 8192;  // the most that Linux can have

// Formats a set as hwloc does: words of 32 bits, the highest first; words of zero between others
// are empty.
std::string format_set(const Units& units) {
  std::vector<std::uint32_t> words(units.empty() ? 1 : *units.rbegin() / 32 + 1);
  for (const std::uint32_t unit : units) words[unit / 32] |= 1U << unit % 32;
  std::string text = fmt::format("0x{:08x}", words.back());
  for (std::size_t i = words.size() - 1; i-- > 0;)
    text += words[i] == 0 && i > 0 ? "," : fmt::format(",0x{:08x}", words[i]);
  return text;
}

class XmlWriter {
 public:
  explicit XmlWriter(const Machine& machine)
      : machine_(machine), children_(machine.nodes.size()), pci_(machine, numbers_) {
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      if (machine.nodes[i].parent && machine.nodes[i].host == 0)
        children_[*machine.nodes[i].parent].push_back(i);
  }

  std::string write() {
    pugi::xml_document document;
    document.append_child(pugi::node_doctype).set_value("topology SYSTEM \"hwloc2.dtd\"");
    pugi::xml_node topology = document.append_child("topology");
    topology.append_attribute("version") = "2.0";
    pugi::xml_node root = numbers_.append(topology, "Machine");
    for (const std::size_t package : nodes_of(machine_, NodeKind::package))
      if (machine_.nodes[package].host == 0) write_package(root, package);
    for (const std::size_t host : nodes_of(machine_, NodeKind::host))
      for (const std::size_t child : children_[host])
        if (machine_.nodes[child].kind == NodeKind::host_bridge) pci_.write_tree(root, child);
    set_sets(root, all_units_, memories_);
    write_hwloc_nvlink(topology, machine_, numbers_);
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
  }

 private:
  static void set_sets(pugi::xml_node of, const Units& units, std::uint32_t memories) {
    Units nodes;
    for (std::uint32_t i = 0; i < memories; ++i) nodes.insert(i);
    set_sets(of, units, nodes);
  }

  static void set_sets(pugi::xml_node of, const Units& units, const Units& nodes) {
    for (const char* key : {"cpuset", "complete_cpuset"})
      of.append_attribute(key) = format_set(units).c_str();
    for (const char* key : {"nodeset", "complete_nodeset"})
      of.append_attribute(key) = format_set(nodes).c_str();
  }

  Units units_of(std::size_t node) {
    const Node& described = machine_.nodes[node];
    Units units;
    for (const std::uint32_t unit : described.processing_units)
      if (unit < kMostUnits) units.insert(unit);
    const std::uint32_t most = std::min(described.cores.value_or(1), 4096U);
    for (std::uint32_t i = 0; units.empty() || (described.processing_units.empty() && i < most);
         ++i)
      units.insert(next_unit_++);
    return units;
  }

  void write_package(pugi::xml_node root, std::size_t index) {
    pugi::xml_node package = numbers_.append(root, "Package", index);
    package.append_attribute("os_index") = packages_;
    append_hwloc_info(package, "CPUModel", machine_.nodes[index].model);
    Units units;
    Units nodes;
    for (const std::size_t child : children_[index]) {
      if (machine_.nodes[child].kind != NodeKind::numa_node) continue;
      const Units here = units_of(child);
      write_memory(package, child, here);
      nodes.insert(memories_++);
      units.insert(here.begin(), here.end());
    }
    if (units.empty()) units = units_of(index);
    const std::vector<Units> cores = cores_of(index, units);
    for (const Units& core : cores) write_core(package, core, nodes);
    // hwloc requires a package to have processors. The number of their cores is left open.
    if (cores.empty()) write_units(package, units, nodes);
    set_sets(package, units, nodes);
    all_units_.insert(units.begin(), units.end());
    for (const std::size_t child : children_[index])
      if (machine_.nodes[child].kind != NodeKind::numa_node) pci_.write_tree(package, child);
    if (packages_++ == 0) pci_.write_nvswitches(package);
  }

  void write_memory(pugi::xml_node package, std::size_t index, const Units& units) {
    pugi::xml_node memory = numbers_.append(package, "NUMANode", index);
    memory.append_attribute("os_index") = memories_;
    set_sets(memory, units, Units{memories_});
    memory.append_attribute("local_memory") =
        static_cast<unsigned long long>(machine_.nodes[index].memory_bytes.value_or(0));
  }

  // Returns each core's logical processors. Linux numbers the first one of every core, then the
  // others. If the numbers do not divide evenly, each processor is a core; if no number is known,
  // there is none.
  std::vector<Units> cores_of(std::size_t package, const Units& units) const {
    std::size_t count = machine_.nodes[package].cores.value_or(0);
    if (count == 0)
      for (const std::size_t child : children_[package])
        if (machine_.nodes[child].kind == NodeKind::numa_node)
          count += machine_.nodes[child].cores.value_or(0);
    if (count == 0) return {};
    if (count > units.size() || units.size() % count != 0) count = units.size();
    std::vector<Units> cores(count);
    std::size_t next = 0;
    for (const std::uint32_t unit : units) cores[next++ % count].insert(unit);
    return cores;
  }

  void write_core(pugi::xml_node package, const Units& units, const Units& nodes) {
    pugi::xml_node core = numbers_.append(package, "Core");
    core.append_attribute("os_index") = *units.begin();
    set_sets(core, units, nodes);
    write_units(core, units, nodes);
  }

  void write_units(pugi::xml_node above, const Units& units, const Units& nodes) {
    for (const std::uint32_t unit : units) {
      pugi::xml_node processor = numbers_.append(above, "PU");
      processor.append_attribute("os_index") = unit;
      set_sets(processor, {unit}, nodes);
    }
  }

  const Machine& machine_;
  std::vector<std::vector<std::size_t>> children_;
  HwlocNumbers numbers_;
  HwlocPciWriter pci_;
  Units all_units_;
  std::uint32_t packages_ = 0;
  std::uint32_t memories_ = 0;
  std::uint32_t next_unit_ = 0;
};

}  // namespace

std::string write_hwloc_xml(const Machine& machine) {
  return XmlWriter(machine).write();
}

}  // namespace convoy::topology
