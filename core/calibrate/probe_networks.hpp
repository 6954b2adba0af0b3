#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::calibrate {

// A network whose layers are measured. It is no model, but its layers have the shapes of a family
// of convolutional networks.
struct ProbeNetwork {
  std::string name;  // name of the family, for people
  graph::Graph graph;
  std::uint32_t batch = 1;
};

// Returns the networks to measure, the most informative first: residual bottlenecks with batch
// norm, stacks of 3x3 convolutions, large filters, parallel branches. They use a few images, from
// which the simulator extrapolates to larger batches. Fully connected layers use more images.
std::vector<ProbeNetwork> probe_networks();
// Returns a network with a few kinds of layers, which takes milliseconds.
std::vector<ProbeNetwork> quick_probe_networks();
// Returns a network that is none of the above. It checks the predictions that they allow for other
// networks, and measures how neighbours slow each other down.
ProbeNetwork check_network();
ProbeNetwork quick_check_network();

}  // namespace convoy::calibrate
