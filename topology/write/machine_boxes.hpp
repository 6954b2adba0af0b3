#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text/drawing.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// A node of a machine as a box inside its parent's.
struct MachineBox {
  std::size_t node = 0;
  std::optional<std::size_t> parent;  // index among the boxes
  std::vector<std::size_t> children;
  std::vector<std::string> lines;  // the first one is the node's name
  std::string uplink;              // the rate of the link to the parent; empty: not shown
  double footer = 0;               // space at the bottom, for what the picture adds
  Drawing::Box area;               // in pixels, from the picture's corner

  bool is_leaf() const { return children.empty(); }
};

// Sizes in pixels that layout and drawing share.
inline constexpr double kBoxPadding = 12;
inline constexpr double kBoxLine = 16;
inline constexpr double kBoxFont = 12;
inline constexpr double kUplink = 18;  // height of the line above a box that has an uplink

// Returns the boxes, parents before children. If more than two hosts are alike, only the first has
// its contents. An NVSwitch outside all other nodes has no box, because it is an end of NVLinks.
std::vector<MachineBox> machine_boxes(const Machine& machine);

// Gives every box its place, in rows of at most `width` pixels if single boxes are not wider.
// Returns the size of the whole.
Drawing::Box lay_out(std::vector<MachineBox>& boxes, double width);

}  // namespace convoy::topology
