#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "core/base/text/drawing.hpp"
#include "core/base/text/style_sheet.hpp"
#include "topology/graph/graph_edit.hpp"
#include "topology/graph/uplinks.hpp"
#include "topology/write/machine_boxes.hpp"
#include "topology/write/print_machine.hpp"

namespace convoy::topology {
namespace {

constexpr double kWidth = 1600;         // of a row of boxes
constexpr double kLeastWidth = 560;     // of the picture without its margins
constexpr double kMargin = 20;          // around the picture
constexpr double kTitle = 34;           // above it
constexpr double kArcs = 130;           // height of a host's NVLinks: arcs over a row of its GPUs
constexpr std::size_t kMostArcs = 400;  // in one host

constexpr const char* kStyle = R"(
:root { --paper: #fff; --ink: #16202b; --soft: #55616e; --edge: #97a3af; --host: #f4f5f7;
  --package: #e3ebf6; --memory: #f7f9fc; --pci: #f0eee9; --gpu: #cfe5c4; --nic: #f8dcb9;
  --nvlink: #2f7d32; --switch: #e6efb9; }
@media (prefers-color-scheme: dark) { :root { --paper: #10151b; --ink: #e8edf2; --soft: #a3b0bd;
  --edge: #5d6b79; --host: #19212a; --package: #22303f; --memory: #1a2531; --pci: #2b2a27;
  --gpu: #2c4a2b; --nic: #54401f; --nvlink: #7fce82; --switch: #4a4f22; } }
text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  fill: var(--ink); }
.title { font-size: 16px; font-weight: 650; } .name { font-weight: 650; } .soft { fill: var(--soft); }
.paper { fill: var(--paper); }
rect.host, rect.package, rect.memory, rect.pci, rect.gpu, rect.nic, rect.switch { stroke: var(--edge); }
.host { fill: var(--host); } .package { fill: var(--package); } .memory { fill: var(--memory); }
.pci { fill: var(--pci); } .gpu { fill: var(--gpu); } .nic { fill: var(--nic); }
.switch { fill: var(--switch); }
.up { stroke: var(--soft); stroke-width: 1.5; } .shared { stroke: var(--ink); stroke-width: 4; }
.nv { fill: none; stroke: var(--nvlink); stroke-width: 1.5; }
.nv2 { stroke-width: 3; } .nv3 { stroke-width: 4.5; } .unknown { stroke-dasharray: 3 3; }
.port { fill: var(--nvlink); }
)";

struct Kind {
  const char* style;
  const char* words;
};

Kind kind_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::host:
      return {"host", "host"};
    case NodeKind::package:
      return {"package", "processor package"};
    case NodeKind::numa_node:
      return {"memory", "memory with its cores"};
    case NodeKind::gpu:
      return {"gpu", "GPU"};
    case NodeKind::nvswitch:
      return {"switch", "NVSwitch"};
    case NodeKind::nic:
    case NodeKind::network:
      return {"nic", "network"};
    default:
      return {"pci", "PCI Express bridge or switch"};
  }
}

// Line widths of NVLinks by their rate: the fastest get the widest lines.
class NvlinkWidths {
 public:
  explicit NvlinkWidths(const Machine& machine) {
    std::set<double> rates;
    for (const Link& link : machine.links)
      if (link.kind == LinkKind::nvlink && link.a_to_b.known()) rates.insert(*link.a_to_b.value);
    const std::vector<double> sorted(rates.begin(), rates.end());
    for (std::size_t i = 0; i < sorted.size(); ++i)
      styles_[sorted[i]] =
          std::min<std::size_t>(3, 3 - std::min<std::size_t>(2, sorted.size() - 1 - i));
    if (sorted.size() == 1) styles_[sorted[0]] = 2;
  }

  std::string style(const Link& link) const {
    if (!link.a_to_b.known()) return "nv unknown";
    return fmt::format("nv nv{}", styles_.at(*link.a_to_b.value));
  }
  const std::map<double, std::size_t>& styles() const { return styles_; }

 private:
  std::map<double, std::size_t> styles_;
};

class Picture {
 public:
  explicit Picture(const Machine& machine)
      : machine_(machine), boxes_(machine_boxes(machine)), widths_(machine) {
    for (const SharedUplink& uplink : shared_uplinks(machine))
      shared_[uplink.below] = uplink.gpus.size();
    for (MachineBox& box : boxes_) {
      const Node& node = machine.nodes[box.node];
      if (node.kind == NodeKind::host && !box.is_leaf() && !nvlinks_of(node.host).empty())
        box.footer = kArcs;
    }
    size_ = lay_out(boxes_, kWidth);
  }

  std::string draw() {
    for (const MachineBox& box : boxes_) draw_box(box);
    const double width = std::max(size_.width, kLeastWidth);
    const double height = draw_legend(size_.height + 30, width);
    std::ostringstream notes;
    for (const std::string& note : machine_.notes) notes << note << '\n';
    const double end = draw_notes(height, notes.str());
    return wrapped(width, end);
  }

 private:
  // Returns the NVLinks between GPUs and NVSwitches of one host.
  std::vector<const Link*> nvlinks_of(std::uint32_t host) const {
    std::vector<const Link*> links;
    for (const Link& link : machine_.links)
      if (link.kind == LinkKind::nvlink && machine_.nodes[link.a].host == host &&
          machine_.nodes[link.b].host == host)
        links.push_back(&link);
    return links;
  }

  void draw_box(const MachineBox& box) {
    const Node& node = machine_.nodes[box.node];
    const Kind kind = kind_of(node.kind);
    shown_.insert(node.kind);
    const auto shared = shared_.find(box.node);
    if (!box.uplink.empty()) draw_uplink(box, shared == shared_.end() ? 0 : shared->second);
    drawing_.rect(box.area, kind.style, box.lines.front(), "rx=\"4\"");
    double y = box.area.y + kBoxLine;
    for (const std::string& line : box.lines) {
      drawing_.text(box.area.x + kBoxPadding, y, line, y > box.area.y + kBoxLine ? "soft" : "name");
      y += kBoxLine;
    }
    if (box.footer > 0) draw_arcs(box, node.host);
  }

  void draw_uplink(const MachineBox& box, std::size_t gpus) {
    const double x = box.area.x + 16;
    drawing_.line(x, box.area.y - kUplink, x, box.area.y, gpus > 1 ? "shared" : "up");
    const std::string words =
        gpus > 1 ? fmt::format("{}, shared by {} GPUs", box.uplink, gpus) : box.uplink;
    drawing_.text(x + 6, box.area.y - 5, fitted(words, box.area.width - 22, kBoxFont), "soft");
  }

  // Draws a host's NVLinks: their ends in a row, an arc for each link.
  void draw_arcs(const MachineBox& box, std::uint32_t host) {
    const std::vector<const Link*> links = nvlinks_of(host);
    std::map<std::size_t, double> ends;
    for (const Link* link : links) ends[link->a] = ends[link->b] = 0;
    const double y = box.area.y + box.area.height - 26;
    const double gap = (box.area.width - 60) / static_cast<double>(ends.size());
    double x = box.area.x + 30 + gap / 2;
    for (auto& [node, at] : ends) {
      at = x;
      x += gap;
    }
    const double most = gap * static_cast<double>(ends.size());
    for (std::size_t i = 0; i < std::min(kMostArcs, links.size()); ++i) {
      const double a = ends.at(links[i]->a);
      const double b = ends.at(links[i]->b);
      const double rise = 16 + (kArcs - 60) * std::abs(b - a) / most;
      drawing_.path(fmt::format("M{0:.1f} {2:.1f}C{0:.1f} {3:.1f} {1:.1f} {3:.1f} {1:.1f} {2:.1f}",
                                a, b, y, y - 4 * rise / 3),
                    widths_.style(*links[i]),
                    fmt::format("{} to {}: {}", machine_.nodes[links[i]->a].name,
                                machine_.nodes[links[i]->b].name, format_rate(links[i]->a_to_b)));
    }
    for (const auto& [node, at] : ends) {
      drawing_.circle(at, y, 4, "port");
      drawing_.text(at, y + 17, fitted(machine_.nodes[node].name, gap, kBoxFont), "soft",
                    Drawing::Anchor::kMiddle);
    }
  }

  // Draws the legend in lines of this width.
  double draw_legend(double y, double width) {
    double x = 0;
    const auto entry = [&](const std::string& words, const auto& swatch) {
      const double words_end = 28 + text_width(words, kBoxFont);
      if (x > 0 && x + words_end > width) {
        x = 0;
        y += 22;
      }
      swatch(x, y);
      drawing_.text(x + 28, y + 11, words, "soft");
      x += words_end + 16;
    };
    std::set<std::string> styles;
    for (const NodeKind kind : shown_) {
      const Kind it = kind_of(kind);
      if (styles.insert(it.style).second)
        entry(it.words, [&](double at, double line) {
          drawing_.rect({at, line, 20, 14}, it.style, {}, "rx=\"3\"");
        });
    }
    const auto stroke = [&](const std::string& classes) {
      return [this, classes](double at, double line) {
        drawing_.line(at, line + 7, at + 20, line + 7, classes);
      };
    };
    if (std::ranges::any_of(boxes_, [](const MachineBox& box) { return !box.uplink.empty(); }))
      entry("link towards the processors", stroke("up"));
    if (!shared_.empty()) entry("one that several GPUs share", stroke("shared"));
    for (const auto& [rate, style] : widths_.styles())
      entry(fmt::format("NVLink, {:.3g} GB/s in each direction", rate / 1e9),
            stroke(fmt::format("nv nv{}", style)));
    return y + 30;
  }

  double draw_notes(double y, const std::string& notes) {
    std::istringstream lines(notes);
    for (std::string line; std::getline(lines, line); y += kBoxLine)
      drawing_.text(0, y + 12, line, "soft");
    return y;
  }

  std::string wrapped(double width, double height) const {
    const std::string title = machine_.name.empty() || machine_.name == machine_.source
                                  ? machine_.source
                                  : fmt::format("{}, from {}", machine_.name, machine_.source);
    Drawing::Box all{-kMargin, -kMargin - kTitle, width + 2 * kMargin,
                     height + 2 * kMargin + kTitle};
    Drawing head;
    head.rect(all, "paper");
    head.text(0, -16, title, "title");
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
        "viewBox=\"{:.0f} {:.0f} {:.0f} {:.0f}\" role=\"img\" "
        "aria-label=\"{}\">\n<style><![CDATA[{}]]></style>\n{}{}</svg>\n",
        all.width, all.height, all.x, all.y, all.width, all.height, escaped_markup(title),
        without_variables(kStyle), head.content(), drawing_.content());
  }

  const Machine& machine_;
  std::vector<MachineBox> boxes_;
  NvlinkWidths widths_;
  std::map<std::size_t, std::size_t> shared_;  // number of GPUs, by the node below the link
  std::set<NodeKind> shown_;
  Drawing::Box size_;
  Drawing drawing_;
};

}  // namespace

std::string machine_svg(const Machine& machine) {
  return Picture(machine).draw();
}

std::string machine_html(const Machine& machine) {
  std::ostringstream tables;
  print_tables(tables, machine);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n"
      "body {{ margin: 0; overflow-x: auto; }} pre {{ font-size: 13px; margin: 0 20px 24px; }}\n"
      "@media (prefers-color-scheme: dark) {{ body {{ background: #10151b; color: #e8edf2; }} }}\n"
      "</style></head>\n<body>\n{}<pre>{}</pre>\n</body></html>\n",
      escaped_markup(machine.source), machine_svg(machine), escaped_markup(tables.str()));
}

}  // namespace convoy::topology
