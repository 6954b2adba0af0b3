#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"

namespace convoy::conformance {

// A small network around one kind of layer. There are weights before that layer, so that its data
// gradient matters.
struct LayerNetwork {
  std::string name;
  std::function<graph::Graph()> build;
};

inline void PrintTo(const LayerNetwork& network, std::ostream* out) {
  *out << network.name;
}

std::vector<LayerNetwork> layer_networks();
std::vector<LayerNetwork> model_layer_networks();   // layers combined as in published models
std::vector<LayerNetwork> modern_layer_networks();  // layers of networks since 2017
std::vector<LayerNetwork> all_layer_networks();     // all of them

}  // namespace convoy::conformance
