#pragma once

#include <optional>

#include "core/checkpoint/safetensors_file.hpp"
#include "core/graph/graph.hpp"
#include "core/job/options.hpp"
#include "core/runtime/state/model_values.hpp"
#include "core/runtime/state/weights_map.hpp"

namespace convoy::job {

// The file of --init_weights. --weights_map may say how to read it.
class InitialWeights {
 public:
  // Reads the contents of the files except the values. Error kUsage for a path that cannot be
  // read, kFailed for a file that is damaged or does not fit the model.
  InitialWeights(const CheckpointOptions& options, const graph::Graph& graph);

  const checkpoint::SafetensorsFile& file() const { return file_; }
  runtime::ModelValues values(const graph::Graph& graph) const;

 private:
  checkpoint::SafetensorsFile file_;
  std::optional<runtime::WeightsMap> map_;
};

}  // namespace convoy::job
