#include "core/job/component_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/process/processors.hpp"
#include "core/base/text/counted.hpp"
#include "core/job/sizes.hpp"
#include "core/job/tasks/task.hpp"
#include "core/runtime/compute_dtype.hpp"
#include "core/runtime/step_describer.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

// Returns the number of processors that the devices do not use.
std::int64_t free_processors(const Setup& setup, std::uint32_t devices) {
  if (!setup.device->has(CONVOY_DEVICES_ON_HOST_PROCESSORS) || setup.options.input_only)
    return count_usable_processors();
  const std::int64_t threads = setup.options.threads_per_device;
  return threads == 0 ? 0
                      : std::max<std::int64_t>(0, count_usable_processors() - threads * devices);
}

// Returns the number of free processors. If none is free, returns the number of all, and the system
// shares them out.
std::int64_t input_threads(const Setup& setup, std::uint32_t devices) {
  const std::int64_t free = free_processors(setup, devices);
  return setup.options.input_threads.value_or(free > 0 ? free : count_usable_processors());
}

}  // namespace

runtime::SessionOptions session_options(const Setup& setup, const Sizes& sizes,
                                        std::uint32_t devices) {
  const JobOptions& options = setup.options;
  runtime::SessionOptions result;
  result.batch = sizes.batch;
  result.seed = options.seed;
  result.hash_initializer = options.initializer == InitializerChoice::kHash;
  result.dropout = options.dropout;
  result.winograd = options.winograd;
  result.accuracy =
      options.print_training_accuracy || options.evaluation.mode() == RunMode::kForwardOnly;
  result.deterministic = options.deterministic;
  if (options.half) result.dtype = runtime::kHalfOfTheDevices;
  result.bucket_elements = setup.bucket_elements;
  result.optimizer = train::make_optimizer(options.optimizer, count_replicas(setup.task, devices));
  result.guard = guard_options(options);
  return result;
}

data::DataOptions data_options(const Setup& setup, const Sizes& sizes, std::uint32_t devices) {
  const JobOptions& options = setup.options;
  data::DataOptions result;
  result.data_dir = options.data_dir;
  result.data_name = options.data_name;
  result.model_dataset = setup.model_info.dataset;
  result.replicas = static_cast<int>(count_replicas(setup.task, devices));
  if (setup.task != nullptr) result.local_replicas = setup.task->replicas();
  result.batch = static_cast<int>(sizes.batch);
  result.height = static_cast<int>(setup.model_info.image_size);
  result.width = result.height;
  result.classes = static_cast<int>(setup.graph->classes());
  result.seed = options.seed;
  result.threads = static_cast<int>(input_threads(setup, devices));
  result.prefetch_depth = std::max(2, options.prefetch_depth);
  result.distortions = options.distortions;
  result.distort_in_yiq = options.distort_in_yiq;
  result.cache_records = options.cache_records;
  result.repeat_one_record = options.repeat_one_record;
  result.resize_method = data::parse_resize_method(options.resize_method);
  result.on_bad_record = data::parse_bad_record_policy(options.on_bad_record);
  return result;
}

std::string shared_cores_notice(const Setup& setup, std::uint32_t devices) {
  const std::int64_t threads = input_threads(setup, devices);
  const std::int64_t free = free_processors(setup, devices);
  if (setup.options.data_dir.empty() || threads <= free) return {};
  return fmt::format(
      "the devices leave {} of {} to {} for preparing images, so that they share the cores; "
      "a smaller --num_intra_threads leaves more",
      free, counted(count_usable_processors(), "core"), counted(threads, "thread"));
}

train::LearningRateSchedule schedule(const Setup& setup, const Sizes& sizes, std::uint32_t devices,
                                     std::int64_t examples, std::int64_t sample_offset) {
  const std::uint32_t replicas = count_replicas(setup.task, devices);
  const train::LearningRateContext context{
      static_cast<double>(std::int64_t{replicas} * sizes.batch), static_cast<double>(examples),
      replicas, setup.options.optimizer.gradient_scale == GradientScale::kSum,
      static_cast<double>(sample_offset)};
  return {setup.options.learning_rate, setup.model_info.rate, context};
}

// Synthetic images are raw pixels, as in tf_cnn_benchmarks, and some models diverge on them with
// their own learning rates. Such a run is about speed, so divergence is an error only if the user
// chose the rate.
runtime::TrainingLoopOptions training_loop_options(const JobOptions& options, const Sizes& sizes,
                                                   std::int64_t first_step) {
  const LearningRateOptions& rate = options.learning_rate;
  const bool chosen = rate.init_learning_rate || !rate.piecewise_learning_rate_schedule.empty();
  const bool synthetic = options.data_dir.empty();
  return {sizes.warmup_steps, sizes.timed_steps, first_step, synthetic && !chosen};
}

std::string divergence_text(std::int64_t step, std::int64_t warmup_steps) {
  return fmt::format(
      "the loss is not finite from {} on: the model's own learning rate does not suit "
      "unnormalised synthetic images; speed is not affected",
      runtime::step_name(step, warmup_steps));
}

}  // namespace convoy::job
