#include "core/job/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/job/option_bounds.hpp"
#include "core/train/learning_rate_options.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

constexpr double kSixteenBitLossScale = 128;  // tf_cnn_benchmarks' default for every model

constexpr const char* kEverySteps = "eval_during_training_every_n_steps";
constexpr const char* kEveryEpochs = "eval_during_training_every_n_epochs";
constexpr const char* kAtSteps = "eval_during_training_at_specified_steps";
constexpr const char* kAtEpochs = "eval_during_training_at_specified_epochs";

void check_word(const char* flag, const std::string& word, std::span<const char* const> allowed) {
  if (std::ranges::find(allowed, word) == allowed.end())
    fail(ExitCode::kUsage, "--{}={}: it must be {}", flag, word, fmt::join(allowed, " or "));
}

void check_length(const JobOptions& options) {
  if (options.num_batches && options.num_epochs)
    fail(ExitCode::kUsage, "--num_batches={} and --num_epochs={}: give one of them, not both",
         *options.num_batches, *options.num_epochs);
}

void check_gradients(const JobOptions& options) {
  const GradientOptions& gradients = options.gradients;
  if (gradients.loss_scale) {
    const auto narrow = static_cast<float>(*gradients.loss_scale);
    if (!std::isnormal(narrow) || narrow <= 0)
      fail(ExitCode::kUsage,
           "--fp16_loss_scale={:g}: it must be above 0 and a normal 32-bit number; 1 turns loss "
           "scaling off",
           *gradients.loss_scale);
  }
  const std::optional<double>& limit = gradients.clip_norm;
  if (limit && !(*limit > 0 && std::isfinite(*limit)))
    fail(ExitCode::kUsage,
         "--gradient_clip_norm={:g}: it must be above 0 (leave it out for no clipping)", *limit);
  if (gradients.automatic_loss_scale && !options.half && !gradients.loss_scale)
    fail(ExitCode::kUsage,
         "--fp16_enable_auto_loss_scale: gradients of 32 bits do not overflow, so there is nothing "
         "to adapt to; add --use_fp16, or --fp16_loss_scale with the scale to start from");
}

void check_checkpoints(const CheckpointOptions& options) {
  if (options.every_steps && options.every_seconds)
    fail(ExitCode::kUsage, "--save_model_steps={} and --save_model_secs={}: give one of them",
         *options.every_steps, *options.every_seconds);
  if (!options.weights_map.empty() && options.init_weights.empty())
    fail(ExitCode::kUsage, "--weights_map={}: it says how --init_weights is read; add that",
         options.weights_map);
}

// Returns the given flags that ask for evaluation during training.
std::vector<const char*> triggers_given(const EvaluationTriggers& triggers) {
  std::vector<const char*> given;
  if (triggers.every_steps) given.push_back(kEverySteps);
  if (triggers.every_epochs) given.push_back(kEveryEpochs);
  if (!triggers.at_steps.empty()) given.push_back(kAtSteps);
  if (!triggers.at_epochs.empty()) given.push_back(kAtEpochs);
  return given;
}

void check_triggers(const JobOptions& options) {
  const EvaluationOptions& evaluation = options.evaluation;
  const std::vector<const char*> given = triggers_given(evaluation.triggers);
  if (given.size() > 1)
    fail(ExitCode::kUsage, "--{} and --{}: give one of them, not both", given[0], given[1]);
  if (given.empty() && evaluation.stop_at_top_1)
    fail(ExitCode::kUsage,
         "--stop_at_top_1_accuracy={}: nothing is evaluated before the end; add one of the "
         "--eval_during_training flags",
         *evaluation.stop_at_top_1);
  if (given.empty()) return;
  if (evaluation.evaluate_only || evaluation.forward_only)
    fail(ExitCode::kUsage,
         "--{} and --{}: the first evaluates during a training, the second does not train; leave "
         "out one of them",
         given[0], evaluation.evaluate_only ? "eval" : "forward_only");
  const auto staged = options.plugin_options.find("staged_vars");
  if (staged != options.plugin_options.end() && staged->second == "true")
    fail(ExitCode::kUsage,
         "--{} and --staged_vars: staged variables lag behind what would be evaluated; leave out "
         "one of them",
         given[0]);
}

void check_evaluation(const JobOptions& options) {
  const EvaluationOptions& evaluation = options.evaluation;
  check_triggers(options);
  if (evaluation.evaluate_only && evaluation.forward_only)
    fail(ExitCode::kUsage, "--eval and --forward_only: give one of them, not both");
  const CheckpointOptions& checkpoints = options.checkpoints;
  if (evaluation.evaluate_only && checkpoints.train_dir.empty() && checkpoints.init_weights.empty())
    fail(ExitCode::kUsage,
         "--eval needs --train_dir (a folder with checkpoints, or one checkpoint file) or "
         "--init_weights");
  if (evaluation.evaluate_only && !checkpoints.train_dir.empty() &&
      !checkpoints.init_weights.empty())
    fail(ExitCode::kUsage,
         "--train_dir={} and --init_weights={}: --eval scores one or the other; give one of them",
         checkpoints.train_dir, checkpoints.init_weights);
  if (evaluation.num_batches && evaluation.num_epochs)
    fail(ExitCode::kUsage, "--num_eval_batches={} and --num_eval_epochs={}: give one of them",
         *evaluation.num_batches, *evaluation.num_epochs);
}

// Refuses outputs that would replace each other or a file that the run reads.
void check_outputs(const JobOptions& options) {
  require_different_files(
      std::vector<FileOfFlag>{{"output_file", options.output_file},
                              {"trace_file", options.trace_file},
                              {"report", options.report_file},
                              {"dump", options.dump_file},
                              {"calibration_file", options.machine.calibration_file, true},
                              {"init_weights", options.checkpoints.init_weights, true},
                              {"weights_map", options.checkpoints.weights_map, true},
                              {"topology", options.machine.topology, true}});
}

}  // namespace

void check_options(const JobOptions& options) {
  check_bounds(options);
  check_word("data_format", options.data_format, kDataFormats);
  check_word("loss_type_to_report", options.loss_type_to_report, kReportedLosses);
  check_length(options);
  train::make_optimizer(options.optimizer, 1);
  check_gradients(options);
  train::check_learning_rate_options(options.learning_rate);
  check_evaluation(options);
  check_checkpoints(options.checkpoints);
  check_outputs(options);
}

const char* flag_without_training(const JobOptions& options) {
  if (options.input_only) return "input_only";
  if (options.evaluation.evaluate_only) return "eval";
  return options.evaluation.forward_only ? "forward_only" : nullptr;
}

bool trains(const JobOptions& options) {
  return flag_without_training(options) == nullptr;
}

std::uint64_t bucket_elements(const JobOptions& options) {
  const double megabytes = options.bucket_mb.value_or(kDefaultBucketMb);
  const auto elements = static_cast<std::uint64_t>(megabytes * (1 << 20) / sizeof(float));
  return megabytes > 0 ? std::max(std::uint64_t{1}, elements) : 0;
}

plan::GuardOptions guard_options(const JobOptions& options) {
  const GradientOptions& gradients = options.gradients;
  plan::GuardOptions guard;
  guard.clip_norm = gradients.clip_norm.value_or(0);
  // It is a float, because devices compute with it in 32 bits.
  guard.loss_scale.scale =
      static_cast<float>(gradients.loss_scale.value_or(options.half ? kSixteenBitLossScale : 1));
  guard.automatic_loss_scale = gradients.automatic_loss_scale;
  guard.increase_every = gradients.increase_every;
  guard.gradient_norms = gradients.report_norms;
  return guard;
}

const char* run_mode_name(RunMode mode) {
  switch (mode) {
    case RunMode::kTrainingAndEvaluation:
      return "training + evaluation";
    case RunMode::kEvaluation:
      return "evaluation";
    case RunMode::kForwardOnly:
      return "forward only";
    default:
      return "training";
  }
}

}  // namespace convoy::job
