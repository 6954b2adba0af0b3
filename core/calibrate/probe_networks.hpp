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

// The most informative first: residual bottlenecks with batch norm, stacks of 3x3 convolutions,
// large filters, parallel branches; layers of a few images, of which the simulator finds those of
// many; fully connected ones of more.
std::vector<ProbeNetwork> probe_networks();
// A network that takes milliseconds, with a few kinds of layers.
std::vector<ProbeNetwork> quick_probe_networks();
// None of the above: for what all of them together foretell of others, and for what neighbours do
// to each other.
ProbeNetwork check_network();
ProbeNetwork quick_check_network();

}  // namespace convoy::calibrate
