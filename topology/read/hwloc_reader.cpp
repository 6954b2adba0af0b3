#include "topology/read/hwloc_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/read/hwloc_distances.hpp"
#include "topology/read/hwloc_objects.hpp"

namespace convoy::topology {
namespace {

// Parts of the product names that hypervisors and clouds give their virtual machines.
constexpr std::array<const char*, 9> kVirtualProducts = {
    "KVM",       "VMware", "Virtual",    "Google Compute Engine", "HVM domU", "Alibaba Cloud",
    "OpenStack", "Bochs",  "Standard PC"};

void check_version(const XmlDocument& document, const std::string& source) {
  const pugi::xml_node root = document.root();
  if (std::string_view(root.name()) != "topology")
    fail(ExitCode::kUsage, "{}: <{}> where hwloc's <topology> belongs; lstopo --of xml writes it",
         source, root.name());
  const std::string_view version = root.attribute("version").value();
  if (version.starts_with("2.") || version.starts_with("3.")) return;
  fail(ExitCode::kUsage,
       "{}: hwloc XML of version '{}'; versions 2 and 3 are known: write it with lstopo of hwloc 2 "
       "or later, lstopo --of xml",
       source, version.empty() ? "1" : version);
}

// Adds a package if hwloc shows none, because the system hides its processors.
void add_missing_package(Machine& machine) {
  if (!nodes_of(machine, NodeKind::package).empty()) return;
  // The package must come before its contents, so all numbers grow by one.
  const auto shift = [](std::size_t node) { return node == 0 ? node : node + 1; };
  for (Node& node : machine.nodes)
    if (node.parent) node.parent = *node.parent == 0 ? 1 : shift(*node.parent);
  for (Link& link : machine.links) {
    link.a = link.a == 0 ? 1 : shift(link.a);
    link.b = link.b == 0 ? 1 : shift(link.b);
  }
  Node package;
  package.kind = NodeKind::package;
  package.name = "package0";
  package.parent = 0;
  package.cores.source = machine.source + " shows no package";
  machine.nodes.insert(machine.nodes.begin() + 1, package);
  machine.notes.emplace_back("no processor packages are shown: one is assumed");
}

// Places host bridges and memory that are not within a package: in the only package; if there are
// several, they are linked to all of them, with a note.
void place_outside(Machine& machine) {
  const std::vector<std::size_t> packages = nodes_of(machine, NodeKind::package);
  bool unplaced = false;
  for (std::size_t i = 0; i < machine.links.size(); ++i) {
    if (machine.links[i].a != 0) continue;
    Node& node = machine.nodes[machine.links[i].b];
    if (packages.size() == 1 && packages.front() < machine.links[i].b) {
      machine.links[i].a = packages.front();
      node.parent = packages.front();
      continue;
    }
    machine.links[i].a = packages.front();
    for (std::size_t other = 1; other < packages.size(); ++other)
      append_link(machine, packages[other], machine.links[i].b, LinkKind::internal,
                  machine.links[i].a_to_b);
    unplaced = true;
  }
  if (unplaced)
    machine.notes.emplace_back(
        "the source does not say which package some bridges or memories belong to");
}

void read_identity(Machine& machine, const pugi::xml_node& object) {
  for (const char* key : {"DMIProductName", "PlatformModel", "HostName"})
    if (machine.name.empty()) machine.name = hwloc_info(object, key);
  const std::string_view product = hwloc_info(object, "DMIProductName");
  machine.virtual_machine.source = machine.source + " DMIProductName";
  const auto is_in_name = [&](const char* part) {
    return product.find(part) != std::string_view::npos;
  };
  if (std::any_of(kVirtualProducts.begin(), kVirtualProducts.end(), is_in_name))
    machine.virtual_machine.value = true;
}

}  // namespace

Machine read_hwloc_xml(std::string_view text, const std::string& source) {
  const XmlDocument document(text, source);
  check_version(document, source);
  const pugi::xml_node root = document.root().child("object");
  if (std::string_view(root.attribute("type").value()) != "Machine")
    fail(ExitCode::kUsage, "{}: no object of type Machine; the file may be cut: write it again",
         source);
  Machine machine;
  machine.source = source;
  HwlocObjects objects(machine, document);
  objects.read(root);
  read_hwloc_distances(machine, document, objects);
  add_missing_package(machine);
  place_outside(machine);
  append_socket_links(machine, source + " does not tell rates between packages");
  read_identity(machine, root);
  return machine;
}

}  // namespace convoy::topology
