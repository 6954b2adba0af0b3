#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <string>

#include "core/graph/graph.hpp"

namespace convoy::test {

constexpr uint32_t kImageNetClasses = 1001;

// What a built model plug-in says of itself and the graph that it describes.
struct PluginGraph {
  convoy_model_info info;
  graph::Graph graph;
};

// Opens the model's file in the build tree. Throws with the plug-in's error text.
PluginGraph load_model(const std::string& name, uint32_t classes = kImageNetClasses);

// Calls a table as the host does.
PluginGraph describe_model(const std::string& name, const convoy_model& table, uint32_t classes);

}  // namespace convoy::test
