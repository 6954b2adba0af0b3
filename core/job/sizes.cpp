#include "core/job/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/process/processors.hpp"
#include "core/base/text/counted.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/job/tasks/task.hpp"
#include "core/train/run_length.hpp"

namespace convoy::job {
namespace {

// Multiply-adds per second and core that training reaches at least on x86-64 servers with AVX2.
// Only the size of a default run depends on it.
constexpr double kAssumedRate = 12e9;
constexpr double kStepSeconds = 2;  // a step should not take much longer
constexpr double kTimedSeconds = 40;

// Forward, backward to the data and backward to the weights take three times the forward work.
double seconds_per_image(const graph::Graph& graph, std::uint32_t cores) {
  return 3 * static_cast<double>(graph.multiply_adds()) / (kAssumedRate * cores);
}

Sizes training_sizes(const Setup& setup, std::uint32_t devices) {
  const JobOptions& options = setup.options;
  const bool on_processors = setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS);
  const std::uint32_t cores = count_usable_processors();
  const double image_seconds = on_processors ? seconds_per_image(*setup.graph, cores) : 0;
  Sizes sizes;
  sizes.batch = options.batch_size.value_or(setup.model_info.batch_size);
  if (on_processors && !options.batch_size) {
    const double fitting = kStepSeconds / (image_seconds * devices);
    const auto limit = std::bit_floor(static_cast<std::uint32_t>(std::clamp(fitting, 1.0, 1e6)));
    sizes.adapted = limit < sizes.batch;
    sizes.batch = std::min(sizes.batch, limit);
  }
  const std::int64_t global_batch = std::int64_t{devices} * sizes.batch;
  sizes.timed_steps =
      train::timed_steps(options.num_batches, options.num_epochs, global_batch,
                         data::find_dataset(setup.model_info.dataset).training_examples);
  sizes.warmup_steps = options.num_warmup_batches.value_or(train::kDefaultWarmupSteps);
  const double step_seconds = image_seconds * static_cast<double>(global_batch);
  if (on_processors && !options.num_batches && !options.num_epochs) {
    const auto fitting = static_cast<std::int64_t>(kTimedSeconds / step_seconds) / 10 * 10;
    const std::int64_t steps = std::clamp<std::int64_t>(fitting, 10, train::kDefaultTimedSteps);
    sizes.adapted = sizes.adapted || steps < sizes.timed_steps;
    sizes.timed_steps = steps;
  }
  if (on_processors && !options.num_warmup_batches && step_seconds > 0.5) {
    sizes.warmup_steps = 3;
    sizes.adapted = true;
  }
  return sizes;
}

}  // namespace

std::uint32_t count_devices(const Setup& setup) {
  const convoy_device_request request{sizeof(request), setup.options.num_devices.value_or(0),
                                      setup.options.threads_per_device};
  return setup.device->count(request);
}

std::uint32_t count_replicas(const Task* task, std::uint32_t devices) {
  if (task == nullptr) return devices;
  return task->devices_per_worker() * task->workers();
}

Sizes choose_sizes(const Setup& setup, std::uint32_t devices) {
  Sizes sizes = training_sizes(setup, devices);
  if (setup.options.evaluation.mode() != RunMode::kEvaluation) return sizes;
  sizes.warmup_steps = 0;
  sizes.batch = setup.options.evaluation.batch_size.value_or(sizes.batch);
  return sizes;
}

std::string shorten_resumed_run(Sizes& sizes, std::int64_t done,
                                std::optional<std::int64_t> left_of_epochs) {
  if (done == 0) return {};
  const std::int64_t wanted = sizes.timed_steps;
  const std::string warmup =
      sizes.warmup_steps == 0 ? "" : fmt::format(", after {} to warm up", sizes.warmup_steps);
  const std::int64_t left = left_of_epochs.value_or(sizes.warmup_steps + wanted - done);
  if (left <= sizes.warmup_steps) sizes.warmup_steps = 0;
  sizes.timed_steps = std::max<std::int64_t>(0, left - sizes.warmup_steps);
  sizes.done_steps = wanted - sizes.timed_steps;
  const std::string why = fmt::format(
      "{} of earlier runs, too{}",
      left_of_epochs ? "--num_epochs counts the images" : "--num_batches counts the steps", warmup);
  if (sizes.timed_steps > 0)
    return fmt::format("{} of {} left to do: the checkpoint is at step {}; {}", sizes.timed_steps,
                       counted(wanted, "step"), done, why);
  return fmt::format(
      "no step is left to do: the checkpoint is at step {}, and this run asks for {}; {}", done,
      counted(wanted, "step"), why);
}

}  // namespace convoy::job
