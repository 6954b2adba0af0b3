#pragma once

#include <filesystem>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/model_plugin.hpp"
#include "core/runtime/session.hpp"

namespace convoy::testing {

// The name of the cases that both hosts run; see the CMakeLists.txt.
#ifdef CONVOY_LATER
#define CONVOY_VERSIONS VersionsInALaterHost
#else
#define CONVOY_VERSIONS Versions
#endif

// Plug-ins of this host's sources, built against other headers.
inline const std::filesystem::path kFrozen = CONVOY_OTHER_PLUGINS "/frozen";
inline const std::filesystem::path kLater = CONVOY_OTHER_PLUGINS "/later";
// First-party plug-ins, built against today's headers.
inline const std::filesystem::path kToday = CONVOY_BINARY_DIR "/lib/convoy/plugins";

struct Files {
  std::filesystem::path strategy;
  std::filesystem::path model;
  std::filesystem::path device;
};

// The model's graph as the real builder makes it, for 10 classes.
graph::Graph graph_of(plugin::ModelPlugin& model);

// The losses of four steps on two replicas, by the real loader, builder, planner, checker and
// executor. The first is that of the initial parameters.
std::vector<double> train(const Files& files);

// What the devices of these two replicas say that their programs hold.
std::vector<MemoryUse> memory_use(const Files& files);

}  // namespace convoy::testing
