#pragma once

#include "core/checkpoint/safetensors_file.hpp"
#include "core/graph/graph.hpp"
#include "core/runtime/state/model_values.hpp"
#include "core/runtime/state/weights_map.hpp"

namespace convoy::runtime {

// Error kFailed listing what is missing, has another shape or is left over. Reads no values.
void require_fit(const checkpoint::SafetensorsFile& file, const graph::Graph& graph,
                 const WeightsMap& map);

// The model's values from a file of another program: F32, F64, F16 or BF16, in the layouts of
// convoy's checkpoints. Error as require_fit().
ModelValues read_foreign_weights(const checkpoint::SafetensorsFile& file, const graph::Graph& graph,
                                 const WeightsMap& map);

}  // namespace convoy::runtime
