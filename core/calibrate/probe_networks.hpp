#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::calibrate {

// A network whose layers are measured: no model, but one with the shapes of layers that a family of
// convolutional networks is made of.
struct ProbeNetwork {
  std::string name;  // of the family, for people
  Graph graph;
  std::uint32_t batch = 1;
};

// Large filters and fully connected layers, stacks of 3x3 convolutions, residual bottlenecks with
// batch norm.
std::vector<ProbeNetwork> probe_networks();
// A network that takes milliseconds, with a few kinds of layers.
std::vector<ProbeNetwork> quick_probe_networks();
// For what neighbours do to each other: convolutions and batch norms of middle size.
ProbeNetwork neighbour_probe_network();

}  // namespace convoy::calibrate
