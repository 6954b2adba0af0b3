#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/checkpoint/safetensors_file.hpp"
#include "core/plan/lower/guard.hpp"
#include "core/runtime/state/training_state.hpp"

namespace convoy::runtime {

// The metadata of a checkpoint, beside its tensors.
struct CheckpointFacts {
  std::int64_t step = 0;     // updates so far: the number of the next step
  std::int64_t samples = 0;  // training samples taken so far: the position in the data
  std::uint64_t seed = 0;  // seed of dropout, data order and labels; random numbers follow from the
                           // step
  std::string model;
  std::string strategy;
  std::string optimizer;
  // Updates that the optimizer's state has received. If the checkpoint has no such entry, the
  // number of steps.
  std::uint64_t updates = 0;
  StateIdentity identity;
  std::uint32_t phase = 0;
  bool complete = true;  // as in TrainingState; true if the checkpoint has no such entry
  plan::LossScale loss_scale;
  // Whether the loss scale adapts to the gradients. True if the checkpoint has no such entry.
  bool loss_scale_adapts = true;
  std::string flags;  // the flags of the run that wrote it, as a JSON object
  std::string convoy_version;
};

std::map<std::string, std::string> to_metadata(const CheckpointFacts& facts);

// Error kFailed naming the file when it is not a checkpoint of convoy, or when an entry is missing
// or invalid.
CheckpointFacts read_facts(const checkpoint::SafetensorsFile& file);

}  // namespace convoy::runtime
