#include "topology/hwloc_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "topology/graph_edit.hpp"
#include "topology/xml_document.hpp"

namespace convoy::topology {
namespace {

using Units = std::set<std::uint32_t>;

// hwloc's form of a set: words of 32 bits, the highest first.
std::string format_set(const Units& units) {
  std::vector<std::uint32_t> words(units.empty() ? 1 : *units.rbegin() / 32 + 1);
  for (const std::uint32_t unit : units) words[unit / 32] |= 1U << unit % 32;
  std::reverse(words.begin(), words.end());
  return fmt::format("0x{:08x}", fmt::join(words, ",0x"));
}

class XmlWriter {
 public:
  explicit XmlWriter(const Machine& machine)
      : machine_(machine), up_(parent_links(machine)), children_(machine.nodes.size()) {
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      if (machine.nodes[i].parent && machine.nodes[i].host == 0)
        children_[*machine.nodes[i].parent].push_back(i);
  }

  std::string write() {
    pugi::xml_document document;
    document.append_child(pugi::node_doctype).set_value("topology SYSTEM \"hwloc2.dtd\"");
    pugi::xml_node topology = document.append_child("topology");
    topology.append_attribute("version") = "2.0";
    pugi::xml_node root = object(topology, "Machine");
    for (const std::size_t package : nodes_of(machine_, NodeKind::package))
      if (machine_.nodes[package].host == 0) write_package(root, package);
    for (const std::size_t child : children_.at(0))
      if (machine_.nodes[child].kind == NodeKind::host_bridge) write_pci(root, child, 0);
    set_sets(root, all_units_, memories_);
    write_nvlink(topology);
    std::ostringstream text;
    document.save(text, "  ");
    return text.str();
  }

 private:
  pugi::xml_node object(pugi::xml_node parent, const char* type) {
    pugi::xml_node result = parent.append_child("object");
    result.append_attribute("type") = type;
    result.append_attribute("gp_index") = ++objects_;
    return result;
  }

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
      if (unit < 65536) units.insert(unit);
    const std::uint32_t most = std::min(described.cores.value_or(1), 4096U);
    for (std::uint32_t i = 0; units.empty() || (described.processing_units.empty() && i < most);
         ++i)
      units.insert(next_unit_++);
    return units;
  }

  void write_package(pugi::xml_node root, std::size_t index) {
    pugi::xml_node package = object(root, "Package");
    package.append_attribute("os_index") = packages_++;
    numbers_[index] = "Package:" + std::to_string(objects_);
    write_info(package, "CPUModel", machine_.nodes[index].model);
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
    for (const std::uint32_t unit : units) write_core(package, unit, nodes);
    set_sets(package, units, nodes);
    all_units_.insert(units.begin(), units.end());
    for (const std::size_t child : children_[index])
      if (machine_.nodes[child].kind != NodeKind::numa_node) write_pci(package, child, 0);
  }

  void write_memory(pugi::xml_node package, std::size_t index, const Units& units) {
    pugi::xml_node memory = object(package, "NUMANode");
    memory.append_attribute("os_index") = memories_;
    set_sets(memory, units, Units{memories_});
    memory.append_attribute("local_memory") =
        static_cast<unsigned long long>(machine_.nodes[index].memory_bytes.value_or(0));
  }

  void write_core(pugi::xml_node package, std::uint32_t unit, const Units& nodes) {
    pugi::xml_node core = object(package, "Core");
    core.append_attribute("os_index") = unit;
    set_sets(core, {unit}, nodes);
    pugi::xml_node processor = object(core, "PU");
    processor.append_attribute("os_index") = unit;
    set_sets(processor, {unit}, nodes);
  }

  static void write_info(pugi::xml_node of, const char* key, const std::string& value) {
    if (value.empty()) return;
    pugi::xml_node info = of.append_child("info");
    info.append_attribute("name") = key;
    info.append_attribute("value") = value.c_str();
  }

  PciAddress address_of(std::size_t index) const {
    if (machine_.nodes[index].address) return *machine_.nodes[index].address;
    const auto number = static_cast<std::uint32_t>(index);
    return {number >> 13, number >> 5 & 0xffU, number & 0x1fU, 0};
  }

  // Buses below a bridge, which hwloc wants to hold those of its children.
  std::pair<std::uint32_t, std::uint32_t> buses(std::size_t index) const {
    std::pair<std::uint32_t, std::uint32_t> range{255, 0};
    std::vector<std::size_t> open = children_[index];
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      open.insert(open.end(), children_[at].begin(), children_[at].end());
      if (machine_.nodes[at].kind == NodeKind::nvswitch) continue;
      range.first = std::min(range.first, address_of(at).bus);
      range.second = std::max(range.second, address_of(at).bus);
    }
    return range.first > range.second ? std::pair{0U, 0U} : range;
  }

  void write_pci(pugi::xml_node parent, std::size_t index, unsigned depth) {
    const Node& node = machine_.nodes[index];
    const bool is_root = node.kind == NodeKind::host_bridge;
    const bool is_bridge = is_root || node.kind == NodeKind::pci_bridge;
    if (!is_bridge && node.kind != NodeKind::gpu && node.kind != NodeKind::nic) return;
    pugi::xml_node pci = object(parent, is_bridge ? "Bridge" : "PCIDev");
    numbers_[index] = "PCIDev:" + std::to_string(objects_);
    if (is_bridge) {
      const auto [first, last] = buses(index);
      pci.append_attribute("bridge_type") = is_root ? "0-1" : "1-1";
      pci.append_attribute("depth") = depth;
      pci.append_attribute("bridge_pci") =
          fmt::format("{:04x}:[{:02x}-{:02x}]", domain_of(index), first, last).c_str();
    }
    if (!is_root) write_pci_identity(pci, index);
    write_info(pci, "PCIDevice", node.model);
    for (const std::size_t child : children_[index]) write_pci(pci, child, depth + 1);
  }

  std::uint32_t domain_of(std::size_t index) const {
    std::size_t at = index;
    while (!machine_.nodes[at].address && !children_[at].empty()) at = children_[at].front();
    return address_of(at).domain;
  }

  void write_pci_identity(pugi::xml_node pci, std::size_t index) {
    const Node& node = machine_.nodes[index];
    const PciId id = node.id.value_or(PciId{});
    const char* kind = node.kind == NodeKind::gpu   ? "0302"
                       : node.kind == NodeKind::nic ? "0200"
                                                    : "0604";
    pci.append_attribute("pci_busid") = format_pci_address(address_of(index)).c_str();
    pci.append_attribute("pci_type") =
        fmt::format("{} [{:04x}:{:04x}] [0000:0000] 00", kind, id.vendor, id.device).c_str();
    // The parity of a port's depth says which side its speed is of: both sides get it.
    double rate = up_[index] ? machine_.links[*up_[index]].a_to_b.value_or(0) : 0;
    for (const std::size_t child : children_[index])
      if (rate == 0 && up_[child]) rate = machine_.links[*up_[child]].a_to_b.value_or(0);
    pci.append_attribute("pci_link_speed") = fmt::format("{:.6f}", rate / 1e9).c_str();
  }

  // Between GPUs, and GPUs and packages; hwloc has no object for switches that it does not see.
  void write_nvlink(pugi::xml_node topology) {
    std::map<std::size_t, std::size_t> place;
    std::vector<std::size_t> ends;
    const auto end = [&](std::size_t node) {
      if (place.try_emplace(node, ends.size()).second) ends.push_back(node);
      return place.at(node);
    };
    std::vector<const Link*> links;
    for (const Link& link : machine_.links)
      if (link.kind == LinkKind::nvlink && numbers_.contains(link.a) && numbers_.contains(link.b)) {
        links.push_back(&link);
        end(link.a);
        end(link.b);
      }
    if (links.empty()) return;
    std::vector<std::uint64_t> values(ends.size() * ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) values[i * ends.size() + i] = 1000000;
    for (const Link* link : links) {
      values[end(link->a) * ends.size() + end(link->b)] += megabytes(link->a_to_b);
      values[end(link->b) * ends.size() + end(link->a)] += megabytes(link->b_to_a);
    }
    write_matrix(topology, ends, values);
  }

  static std::uint64_t megabytes(const Fact<double>& rate) {
    return static_cast<std::uint64_t>(std::clamp(rate.value_or(0) / 1e6, 0.0, 1e9));
  }

  void write_matrix(pugi::xml_node topology, const std::vector<std::size_t>& ends,
                    const std::vector<std::uint64_t>& values) {
    std::vector<std::string> indexes;
    for (const std::size_t node : ends) indexes.push_back(numbers_.at(node));
    pugi::xml_node matrix = topology.append_child("distances2hetero");
    matrix.append_attribute("nbobjs") = static_cast<unsigned long long>(ends.size());
    matrix.append_attribute("kind") = "9";  // from the operating system, a bandwidth
    matrix.append_attribute("name") = "NVLinkBandwidth";
    const auto list = [&](const char* element, const std::string& text) {
      pugi::xml_node child = matrix.append_child(element);
      child.append_attribute("length") = static_cast<unsigned long long>(text.size());
      child.text() = text.c_str();
    };
    list("indexes", fmt::format("{} ", fmt::join(indexes, " ")));
    list("u64values", fmt::format("{} ", fmt::join(values, " ")));
  }

  const Machine& machine_;
  std::vector<std::optional<std::size_t>> up_;
  std::vector<std::vector<std::size_t>> children_;
  std::map<std::size_t, std::string> numbers_;  // "PCIDev:12"
  Units all_units_;
  unsigned objects_ = 0;
  std::uint32_t packages_ = 0;
  std::uint32_t memories_ = 0;
  std::uint32_t next_unit_ = 0;
};

}  // namespace

std::string write_hwloc_xml(const Machine& machine) {
  return XmlWriter(machine).write();
}

}  // namespace convoy::topology
