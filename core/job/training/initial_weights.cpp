#include "core/job/training/initial_weights.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "core/base/error.hpp"
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

// The path is checked here, where the flag is known. A checkpoint that convoy finds by itself and
// cannot open is a failure, not wrong usage.
const std::string& require_readable(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0)
    fail(ExitCode::kUsage,
         "--init_weights={}: cannot be read: {}; give a file in the safetensors format, such as a "
         "checkpoint of a run with --train_dir",
         path, std::strerror(errno));
  return path;
}

}  // namespace

InitialWeights::InitialWeights(const CheckpointOptions& options, const graph::Graph& graph)
    : file_(require_readable(options.init_weights)) {
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
