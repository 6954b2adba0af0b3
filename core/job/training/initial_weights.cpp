#include "core/job/training/initial_weights.hpp"

#include <filesystem>
#include <string>

#include "core/plugin/search_path.hpp"
#include "core/runtime/state/checkpoint_tensors.hpp"
#include "core/runtime/state/foreign_weights.hpp"

namespace convoy::job {
namespace {

// Returns the path of a map, given by a path or by the name of a map that comes with convoy.
std::filesystem::path map_path(const std::string& map) {
  if (map.find('/') != std::string::npos || map.ends_with(".json")) return map;
  return plugin::share_directory() / "weights" / (map + ".json");
}

}  // namespace

InitialWeights::InitialWeights(const CheckpointOptions& options, const graph::Graph& graph)
    : file_(options.init_weights) {
  if (!options.weights_map.empty()) map_ = runtime::read_weights_map(map_path(options.weights_map));
  if (map_)
    runtime::require_fit(file_, graph, *map_);
  else
    runtime::require_fit(file_, graph);
}

runtime::ModelValues InitialWeights::values(const graph::Graph& graph) const {
  return map_ ? runtime::read_foreign_weights(file_, graph, *map_)
              : runtime::read_model_values(file_, graph);
}

}  // namespace convoy::job
