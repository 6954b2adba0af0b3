#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/checkpoint/safetensors_file.hpp"
#include "core/checkpoint/tensor.hpp"
#include "core/graph/graph.hpp"
#include "core/runtime/state/checkpoint_facts.hpp"
#include "core/runtime/state/training_state.hpp"

namespace convoy::runtime {

// A tensor of a model that training changes, by its name in checkpoints: a variable
// ("conv1/kernel", OIHW, [out, in] or [n]) or a moving statistic ("bn1/moving_mean").
struct ModelTensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  bool statistic = false;
  std::size_t variable = 0;       // its index, unless it is a statistic
  std::uint64_t state_first = 0;  // for a statistic: its first element in ModelValues::state

  std::uint64_t elements() const;
};

// Variables in creation order, then statistics in layer order.
std::vector<ModelTensor> model_tensors(const graph::Graph& graph);

// Reads each tensor of a model with `read`, and returns the values.
ModelValues values_of(const graph::Graph& graph,
                      const std::function<std::vector<float>(const ModelTensor&)>& read);

// The tensors of a checkpoint: the model's, then "optimizer/<slot>/<variable>", then
// "runtime/<part>". Moves the state into the tensors piece by piece, so that memory holds one copy,
// not two.
std::vector<checkpoint::Tensor> checkpoint_tensors(const graph::Graph& graph,
                                                   convoy_optimizer_kind optimizer,
                                                   TrainingState state);

// Error kFailed listing every tensor that is missing, that the model does not have, or that has
// another shape or is not F32. Reads no values.
void require_fit(const checkpoint::SafetensorsFile& file, const graph::Graph& graph);

// The model of a checkpoint. Error as require_fit().
ModelValues read_model_values(const checkpoint::SafetensorsFile& file, const graph::Graph& graph);

// The state from which a session continues, and the parts of the checkpoint that it cannot use.
struct Restoration {
  TrainingState state;
  std::vector<std::string> notices;
};
Restoration read_restoration(const checkpoint::SafetensorsFile& file, const CheckpointFacts& facts,
                             const Session& session);

}  // namespace convoy::runtime
