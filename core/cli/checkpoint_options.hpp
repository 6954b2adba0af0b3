#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/flag_parser.hpp"

namespace convoy {

// What `convoy run` was asked about checkpoints and weights from elsewhere.
struct CheckpointOptions {
  std::string train_dir;                      // empty: nothing is saved or resumed
  std::optional<std::int64_t> every_steps;    // timed ones
  std::optional<std::int64_t> every_seconds;  // unset, with the other: only at the end
  std::int64_t keep = 5;                      // 0: all
  bool continue_on_error = false;
  std::string init_weights;  // a safetensors file
  std::string weights_map;   // a file, or the name of one in share/weights
};

std::vector<FlagDefinition> checkpoint_flags();

// Error(kUsage) when flags contradict each other.
CheckpointOptions read_checkpoint_options(const ParsedFlags& flags);

}  // namespace convoy
