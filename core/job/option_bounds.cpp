#include "core/job/option_bounds.hpp"

#include <algorithm>
#include <concepts>
#include <iterator>
#include <optional>

#include "core/base/error.hpp"
#include "core/job/limits.hpp"

namespace convoy::job {
namespace {

// The value of an option; none if it is unset.
struct Value {
  std::optional<double> number;
  bool whole = false;
};

template <typename Field>
Value value(Field field) {
  return {static_cast<double>(field), std::integral<Field>};
}
template <typename Field>
Value value(const std::optional<Field>& field) {
  return field ? value(*field) : Value{};
}

struct BoundedOption {
  std::string_view flag;
  Bounds bounds;
  Value (*read)(const JobOptions&);
};

constexpr Bounds kSteps = {1, kMostSteps};
constexpr Bounds kEpochs = {0, kMostEpochs, true};
constexpr Bounds kImages = {1, kMostImages};
constexpr Bounds kWaiting = {0.1, kMostSeconds};
constexpr Bounds kTasks = {0, kMostHosts};

using Job = JobOptions;

constexpr BoundedOption kOptions[] = {
    {"batch_size", kImages, [](const Job& it) { return value(it.batch_size); }},
    {"num_batches", kSteps, [](const Job& it) { return value(it.num_batches); }},
    {"num_epochs", kEpochs, [](const Job& it) { return value(it.num_epochs); }},
    {"num_warmup_batches",
     {0, kMostSteps},
     [](const Job& it) { return value(it.num_warmup_batches); }},
    {"num_devices", {1, kMostDevices}, [](const Job& it) { return value(it.num_devices); }},
    {"num_intra_threads",
     {0, kMostThreads},
     [](const Job& it) { return value(it.threads_per_device); }},
    {"datasets_num_private_threads",
     {1, kMostThreads},
     [](const Job& it) { return value(it.input_threads); }},
    {"datasets_prefetch_buffer_size",
     {1, kMostPreparedBatches},
     [](const Job& it) { return value(it.prefetch_depth); }},
    {"bucket_mb", {0, kMostBucketMb}, [](const Job& it) { return value(it.bucket_mb); }},
    {"gradient_clip",
     {.is_above = true},
     [](const Job& it) { return value(it.optimizer.gradient_clip); }},
    {"fp16_inc_loss_scale_every_n", kSteps,
     [](const Job& it) { return value(it.gradients.increase_every); }},
    {"eval_during_training_every_n_steps", kSteps,
     [](const Job& it) { return value(it.evaluation.triggers.every_steps); }},
    {"eval_during_training_every_n_epochs", kEpochs,
     [](const Job& it) { return value(it.evaluation.triggers.every_epochs); }},
    {"stop_at_top_1_accuracy", kFraction,
     [](const Job& it) { return value(it.evaluation.stop_at_top_1); }},
    {"eval_batch_size", kImages, [](const Job& it) { return value(it.evaluation.batch_size); }},
    {"num_eval_batches", kSteps, [](const Job& it) { return value(it.evaluation.num_batches); }},
    {"num_eval_epochs", kEpochs, [](const Job& it) { return value(it.evaluation.num_epochs); }},
    {"eval_interval_secs",
     {0, kMostSeconds},
     [](const Job& it) { return value(it.evaluation.interval_seconds); }},
    {"save_model_steps", kSteps, [](const Job& it) { return value(it.checkpoints.every_steps); }},
    {"save_model_secs",
     {1, kMostSeconds},
     [](const Job& it) { return value(it.checkpoints.every_seconds); }},
    {"max_ckpts_to_keep",
     {0, kMostSteps},
     [](const Job& it) { return value(it.checkpoints.keep); }},
    {"hosts", {1, kMostHosts}, [](const Job& it) { return value(it.machine.hosts); }},
    {"images_per_sec",
     {1e-6, kMostImageRate},
     [](const Job& it) { return value(it.machine.images_per_second); }},
    {"task_index", kTasks, [](const Job& it) { return value(it.task.task_index); }},
    {"network_channels", {1, 255}, [](const Job& it) { return value(it.task.network_channels); }},
    {"join_timeout", kWaiting, [](const Job& it) { return value(it.task.join_timeout); }},
    {"peer_timeout", kWaiting, [](const Job& it) { return value(it.task.peer_timeout); }},
    {"restarts", kTasks, [](const Job& it) { return value(it.task.restarts); }},
    {"display_every", kSteps, [](const Job& it) { return value(it.display_every); }},
    {"display_perf_ewma", kFraction, [](const Job& it) { return value(it.display_perf_ewma); }},
    {"plugin_timeout", kWaiting, [](const Job& it) { return value(it.plugin_timeout); }},
};

}  // namespace

Bounds bounds_of(std::string_view flag) {
  const auto* found = std::ranges::find(kOptions, flag, &BoundedOption::flag);
  CONVOY_CHECK(found != std::end(kOptions));
  return found->bounds;
}

void check_bounds(const JobOptions& options) {
  for (const BoundedOption& option : kOptions) {
    const auto [number, whole] = option.read(options);
    if (number && !option.bounds.contain(*number))
      fail(ExitCode::kUsage, "--{}={}: it must be {}", option.flag, *number,
           bounds_text(option.bounds, whole));
  }
}

}  // namespace convoy::job
