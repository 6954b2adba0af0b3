#include <fmt/format.h>

#include "topology/graph_edit.hpp"
#include "topology/machine_tree.hpp"
#include "topology/print_machine.hpp"

namespace convoy::topology {
namespace {

constexpr int kRow = 26;  // pixels
constexpr int kIndent = 28;
constexpr int kBox = 560;
constexpr int kMargin = 12;

std::string escaped_xml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  }
  return result;
}

const char* colour(NodeKind kind) {
  switch (kind) {
    case NodeKind::gpu:
      return "#cfe8c6";
    case NodeKind::nvswitch:
      return "#e3f0b5";
    case NodeKind::nic:
    case NodeKind::network:
      return "#f6d9b8";
    case NodeKind::package:
    case NodeKind::numa_node:
      return "#cfdcf2";
    default:
      return "#ececec";
  }
}

}  // namespace

std::string machine_svg(const Machine& machine) {
  const std::vector<TreeRow> rows = machine_tree(machine);
  std::size_t deepest = 0;
  for (const TreeRow& row : rows) deepest = std::max(deepest, row.branches.size());
  std::string boxes;
  std::vector<int> heights(machine.nodes.size());
  int y = kMargin;
  for (const TreeRow& row : rows) {
    const int x = kMargin + kIndent * static_cast<int>(row.branches.size());
    const Node& node = machine.nodes[row.node];
    heights[row.node] = y;
    if (node.parent)
      boxes += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"#888\"/>\n",
                           x - kIndent / 2, heights[*node.parent] + kRow - 6, y + kRow / 2 - 3, x);
    boxes += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\" "
        "stroke=\"#888\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
        x, y, kBox, kRow - 6, colour(node.kind), x + 6, y + 14,
        escaped_xml(describe_node(machine, row)));
    y += kRow;
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
             "font-family=\"sans-serif\" font-size=\"12\">\n",
             2 * kMargin + kBox + kIndent * static_cast<int>(deepest), y + kMargin) +
         boxes + "</svg>\n";
}

}  // namespace convoy::topology
