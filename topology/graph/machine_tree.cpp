#include "topology/graph/machine_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/graph/graph_edit.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::topology {
namespace {

class TreeBuilder {
 public:
  explicit TreeBuilder(const Machine& machine)
      : links_(parent_links(machine)), children_(machine.nodes.size()) {
    std::vector<bool> shown(machine.nodes.size());
    for (std::size_t i = machine.nodes.size(); i-- > 0;) {
      const Node& node = machine.nodes[i];
      if (node.kind != NodeKind::pci_bridge && node.kind != NodeKind::host_bridge) shown[i] = true;
      if (shown[i] && node.parent) shown[*node.parent] = true;
    }
    for (std::size_t i = 0; i < machine.nodes.size(); ++i) {
      if (!shown[i]) continue;
      const auto parent = machine.nodes[i].parent;
      if (parent)
        children_[*parent].push_back(i);
      else
        roots_.push_back(i);
    }
  }

  // Not recursive, because files may hold chains of many nodes.
  std::vector<TreeRow> build() {
    std::vector<TreeRow> rows;
    std::vector<TreeRow> open;
    const auto push = [&](const std::vector<std::size_t>& nodes, const TreeRow* parent) {
      for (std::size_t i = nodes.size(); i-- > 0;) {
        TreeRow row{nodes[i], {}, links_[nodes[i]]};
        if (parent != nullptr) {
          row.branches = parent->branches;
          row.branches.push_back(false);
        }
        if (parent != nullptr && i + 1 < nodes.size()) row.branches.back() = true;
        open.push_back(std::move(row));
      }
    };
    push(roots_, nullptr);
    while (!open.empty()) {
      TreeRow row = std::move(open.back());
      open.pop_back();
      push(children_[row.node], &row);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::vector<std::optional<std::size_t>> links_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
};

}  // namespace

std::vector<TreeRow> machine_tree(const Machine& machine) {
  return TreeBuilder(machine).build();
}

std::string describe_node(const Machine& machine, const TreeRow& row) {
  const Node& node = machine.nodes[row.node];
  std::string text = node.name;
  if (node.address && format_pci_address(*node.address) != node.name)
    text += " " + format_pci_address(*node.address);
  if (node.id && node.kind != NodeKind::pci_bridge)
    text += fmt::format(" [{:04x}:{:04x}]", node.id->vendor, node.id->device);
  if (!node.model.empty()) text += " " + node.model;
  if (!node.uuid.empty()) text += " " + node.uuid;
  if (node.cores.known()) text += fmt::format(", {} cores", *node.cores.value);
  if (node.memory_bytes.value_or(0) > 0)
    text += fmt::format(", {:.4g} GB", static_cast<double>(*node.memory_bytes.value) / 1e9);
  if (row.link && machine.links[*row.link].kind == LinkKind::pcie)
    text += ", " + format_rate(machine.links[*row.link].a_to_b);
  if (node.kind == NodeKind::nic) text += ", network " + format_rate(node.network_bytes_per_second);
  if (!node.device_number.source.empty())
    text += node.device_number.known()
                ? fmt::format(", device {} of this process", *node.device_number.value)
                : ", " + node.device_number.source;
  return text;
}

}  // namespace convoy::topology
