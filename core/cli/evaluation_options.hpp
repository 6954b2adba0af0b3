#pragma once

#include <cstdint>
#include <optional>

#include "core/cli/flag_parser.hpp"
#include "core/train/evaluation_schedule.hpp"

namespace convoy {

enum class RunMode { kTraining, kTrainingAndEvaluation, kEvaluation, kForwardOnly };

// As the header of a run and its record call it: "training + evaluation".
const char* run_mode_name(RunMode mode);

// What `convoy run` was asked about scoring a model instead of, or besides, training it.
struct EvaluationOptions {
  RunMode mode = RunMode::kTraining;
  std::int64_t interval_seconds = 0;        // --eval: between looks for a checkpoint; 0 looks once
  EvaluationTriggers triggers;              // kTrainingAndEvaluation
  std::optional<std::uint32_t> batch_size;  // per device; unset: that of training
  std::optional<std::int64_t> num_batches;
  std::optional<double> num_epochs;  // of the validation data
  std::optional<double> stop_at_top_1;
};

// Error(kUsage) when flags contradict each other.
EvaluationOptions read_evaluation_options(const ParsedFlags& flags);

}  // namespace convoy
