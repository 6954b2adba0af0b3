#include "topology/write/machine_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "topology/graph/gpu_order.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/machine_tree.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::topology {
namespace {

std::vector<std::string> lines_of(const Node& node) {
  std::vector<std::string> lines = {node.name};
  std::string facts;
  const auto add = [&facts](const std::string& fact) {
    facts += (facts.empty() ? "" : ", ") + fact;
  };
  if (node.cores.known()) add(fmt::format("{} cores", *node.cores.value));
  if (node.memory_bytes.value_or(0) > 0)
    add(fmt::format("{:.4g} GB", static_cast<double>(*node.memory_bytes.value) / 1e9));
  if (node.kind == NodeKind::nic) add(format_rate(node.network_bytes_per_second));
  if (!node.model.empty()) lines.push_back(node.model);
  if (!facts.empty()) lines.push_back(facts);
  if (is_hidden(node)) lines.emplace_back("hidden from this process");
  return lines;
}

// Returns the contents of every host, without names of single nodes. Hosts with equal texts are
// alike.
std::map<std::uint32_t, std::string> contents_of_hosts(const Machine& machine,
                                                       const std::vector<TreeRow>& rows) {
  std::map<std::uint32_t, std::string> contents;
  for (const TreeRow& row : rows) {
    const Node& node = machine.nodes[row.node];
    if (node.kind == NodeKind::network || node.kind == NodeKind::host) continue;
    contents[node.host] +=
        fmt::format("{} {} {} {};", row.branches.size(), static_cast<int>(node.kind), node.model,
                    row.link ? format_rate(machine.links[*row.link].a_to_b) : std::string());
  }
  return contents;
}

// Returns the hosts of which only the name is shown, because an equal host is shown in full.
std::set<std::uint32_t> folded_hosts(const Machine& machine, const std::vector<TreeRow>& rows) {
  constexpr std::size_t kFew = 2;
  std::map<std::string, std::vector<std::uint32_t>> alike;
  for (const auto& [host, contents] : contents_of_hosts(machine, rows))
    alike[contents].push_back(host);
  std::set<std::uint32_t> folded;
  for (const auto& [contents, hosts] : alike)
    if (hosts.size() > kFew) folded.insert(hosts.begin() + 1, hosts.end());
  return folded;
}

// Returns the links of hosts' cards to a network: "64 links of 25 GB/s".
std::string network_text(const Machine& machine, std::size_t network) {
  std::map<std::string, std::size_t> rates;
  for (const Link& link : machine.links)
    if (link.a == network || link.b == network) ++rates[format_rate(link.a_to_b)];
  std::string text;
  for (const auto& [rate, count] : rates)
    text += fmt::format("{}{} links of {}", text.empty() ? "" : ", ", count, rate);
  return text;
}

// Whether the link's rate is of interest: a bus, or a link within a chip if that is the limit.
bool is_uplink(const Node& node, const Link& link) {
  return link.kind == LinkKind::pcie || (node.kind == NodeKind::host_bridge &&
                                         link.kind == LinkKind::internal && link.a_to_b.known());
}

// Places boxes in rows, each as far to the left and to the top as the earlier boxes allow.
class Flow {
 public:
  Flow(double left, double top, double width) : left_(left), x_(left), y_(top), width_(width) {}

  void place(MachineBox& box) {
    const double above = box.uplink.empty() ? 0 : kUplink;
    if (x_ > left_ && x_ + box.area.width > left_ + width_) next_row();
    box.area.x = x_;
    box.area.y = y_ + above;
    x_ += box.area.width + kBoxPadding;
    right_ = std::max(right_, x_ - kBoxPadding);
    bottom_ = std::max(bottom_, box.area.y + box.area.height);
  }
  void next_row() {
    if (x_ == left_) return;
    x_ = left_;
    y_ = bottom_ + kBoxPadding;
  }

  double right() const { return right_; }
  double bottom() const { return std::max(bottom_, y_ - kBoxPadding); }

 private:
  double left_;
  double x_;
  double y_;
  double width_;
  double right_ = 0;
  double bottom_ = 0;
};

constexpr double kLeafColumn = 300;  // width in pixels of a column of leaves in one box

// Sets the size of a box and the places of its children relative to it. The children are measured
// already.
void measure(std::vector<MachineBox>& boxes, MachineBox& box, double width) {
  double widest = 0;
  for (const std::string& line : box.lines)
    widest = std::max(widest, text_width(line, kBoxFont) + 4);
  widest = std::max(widest, text_width(box.uplink, kBoxFont) + 8);
  const double title = kBoxLine * static_cast<double>(box.lines.size()) + kBoxPadding;
  const auto holders = std::ranges::count_if(
      box.children, [&](std::size_t child) { return !boxes[child].is_leaf(); });
  Flow flow(kBoxPadding, title + (box.is_leaf() ? 0 : 4), holders > 0 ? width : kLeafColumn);
  for (const bool leaves : {true, false}) {
    for (const std::size_t child : box.children)
      if (boxes[child].is_leaf() == leaves) flow.place(boxes[child]);
    flow.next_row();
  }
  box.area.width = std::max(widest + 2 * kBoxPadding, flow.right() + kBoxPadding);
  box.area.height = (box.is_leaf() ? title : flow.bottom() + kBoxPadding) + box.footer;
}

}  // namespace

std::vector<MachineBox> machine_boxes(const Machine& machine) {
  const std::vector<TreeRow> rows = machine_tree(machine);
  const std::set<std::uint32_t> folded = folded_hosts(machine, rows);
  std::vector<MachineBox> boxes;
  std::map<std::size_t, std::size_t> box_of;  // by node
  for (const TreeRow& row : rows) {
    const Node& node = machine.nodes[row.node];
    const bool hidden = folded.contains(node.host) && node.kind != NodeKind::network;
    if (hidden && node.kind != NodeKind::host) continue;
    if (node.kind == NodeKind::nvswitch && !node.parent) continue;
    MachineBox box;
    box.node = row.node;
    box.lines = lines_of(node);
    if (hidden) box.lines.emplace_back("as the first");
    if (node.kind == NodeKind::network) box.lines.push_back(network_text(machine, row.node));
    if (row.link && is_uplink(node, machine.links[*row.link]))
      box.uplink = format_rate(machine.links[*row.link].a_to_b);
    const auto parent = node.parent ? box_of.find(*node.parent) : box_of.end();
    if (parent != box_of.end()) {
      box.parent = parent->second;
      boxes[parent->second].children.push_back(boxes.size());
    }
    box_of[row.node] = boxes.size();
    boxes.push_back(std::move(box));
  }
  return boxes;
}

Drawing::Box lay_out(std::vector<MachineBox>& boxes, double width) {
  for (std::size_t i = boxes.size(); i-- > 0;) measure(boxes, boxes[i], width);
  Flow flow(0, 0, width);
  for (const bool leaves : {false, true}) {
    for (MachineBox& box : boxes)
      if (!box.parent && box.is_leaf() == leaves) flow.place(box);
    flow.next_row();
  }
  for (MachineBox& box : boxes) {
    if (!box.parent) continue;
    box.area.x += boxes[*box.parent].area.x;
    box.area.y += boxes[*box.parent].area.y;
  }
  return {0, 0, flow.right(), flow.bottom()};
}

}  // namespace convoy::topology
