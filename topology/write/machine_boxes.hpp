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
  std::optional<std::size_t> parent;  // among the boxes
  std::vector<std::size_t> children;
  std::vector<std::string> lines;  // the first one is the node's name
  std::string uplink;              // the rate of the link to the parent; empty: none to be shown
  double footer = 0;               // room at the bottom, for what the picture adds
  Drawing::Box area;               // in pixels, from the picture's corner

  bool is_leaf() const { return children.empty(); }
};

// Sizes in pixels that layout and drawing share.
inline constexpr double kBoxPadding = 12;
inline constexpr double kBoxLine = 16;
inline constexpr double kBoxFont = 12;
inline constexpr double kUplink = 18;  // height of the line above a box that has an uplink

// Parents before children. Of more than two hosts that are alike, only the first has what is in it.
// An NVSwitch that nothing contains is no box: it is an end of NVLinks.
std::vector<MachineBox> machine_boxes(const Machine& machine);

// Gives every box its place, in rows of at most `width` pixels where single boxes let that. Returns
// the size of all.
Drawing::Box lay_out(std::vector<MachineBox>& boxes, double width);

}  // namespace convoy::topology
