#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "topology/graph_edit.hpp"
#include "topology/machine_tree.hpp"
#include "topology/print_machine.hpp"

namespace convoy::topology {
namespace {

constexpr int kRow = 26;  // pixels
constexpr int kIndent = 28;
constexpr int kBox = 560;
constexpr int kMargin = 12;
constexpr int kLine = 16;
constexpr int kLetter = 8;  // of the font for tables, at most
constexpr std::size_t kLongest = 400;

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

class Picture {
 public:
  explicit Picture(const Machine& machine) : machine_(machine), heights_(machine.nodes.size()) {}

  std::string draw() {
    for (const TreeRow& row : machine_tree(machine_)) draw_row(row);
    std::ostringstream tables;
    print_tables(tables, machine_);
    std::istringstream lines(tables.str());
    for (std::string line; std::getline(lines, line);) draw_line(line);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
               "font-family=\"sans-serif\" font-size=\"12\">\n",
               kMargin + right_, y_ + kMargin) +
           content_ + "</svg>\n";
  }

 private:
  void draw_row(const TreeRow& row) {
    const int x = kMargin + kIndent * static_cast<int>(row.branches.size());
    const Node& node = machine_.nodes[row.node];
    heights_[row.node] = y_;
    if (node.parent)
      content_ +=
          fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"#888\"/>\n",
                      x - kIndent / 2, heights_[*node.parent] + kRow - 6, y_ + kRow / 2 - 3, x);
    content_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{}\" "
        "stroke=\"#888\"/><text x=\"{}\" y=\"{}\">{}</text>\n",
        x, y_, kBox, kRow - 6, colour(node.kind), x + 6, y_ + 14,
        escaped_xml(describe_node(machine_, row)));
    y_ += kRow;
    right_ = std::max(right_, x + kBox);
  }

  void draw_line(const std::string& line) {
    content_ += fmt::format(
        "<text x=\"{}\" y=\"{}\" font-family=\"monospace\" xml:space=\"preserve\">{}</text>\n",
        kMargin, y_ + kLine, escaped_xml(line));
    y_ += kLine;
    right_ =
        std::max(right_, kMargin + kLetter * static_cast<int>(std::min(line.size(), kLongest)));
  }

  const Machine& machine_;
  std::vector<int> heights_;  // of the nodes' rows
  std::string content_;
  int y_ = kMargin;
  int right_ = 0;
};

}  // namespace

std::string machine_svg(const Machine& machine) {
  return Picture(machine).draw();
}

}  // namespace convoy::topology
