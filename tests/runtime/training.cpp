#include "tests/runtime/training.hpp"

#include <utility>

#include "core/base/error.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::testing {

NumberSource::NumberSource(const Shape& shape, std::function<float(std::int64_t)> value)
    : shape_(shape), value_(std::move(value)) {}

const data::Batch& NumberSource::acquire(int replica, std::int64_t step) {
  if (before_acquire) before_acquire(step);
  Held& held = held_[{replica, step}];
  const std::int64_t first = (step * shape_.replicas + replica) * shape_.batch;
  for (std::int64_t i = 0; i < shape_.batch; ++i) {
    held.images.insert(held.images.end(), shape_.image_elements, value_(first + i));
    held.labels.push_back(static_cast<std::int32_t>(step) % shape_.classes);
  }
  held.batch = {held.images.data(), held.labels.data(), shape_.batch};
  ++acquired_;
  return held.batch;
}

void NumberSource::release(int replica, std::int64_t step) {
  CONVOY_CHECK_EQ(held_.erase({replica, step}), std::size_t{1});
}

train::LearningRateSchedule constant_rate(double rate) {
  LearningRateOptions options;
  options.init_learning_rate = rate;
  convoy_rate_rule rule{};
  return {options, rule, train::LearningRateContext{.batch = 1, .examples_per_epoch = 1}};
}

std::vector<TrainingStep> train(runtime::Session& session, data::BatchSource& source, double rate,
                                std::int64_t timed_steps, std::int64_t warmup_steps) {
  std::vector<TrainingStep> steps;
  runtime::TrainingEvents events;
  events.warmup_step = [&](const TrainingStep& step) { steps.push_back(step); };
  events.timed_step = events.warmup_step;
  runtime::run_training(session, source, constant_rate(rate), {warmup_steps, timed_steps, 0},
                        events);
  return steps;
}

std::shared_ptr<runtime::OpenDevices> open_devices(const plugin::DevicePlugin& plugin,
                                                   std::uint32_t devices, std::uint32_t threads) {
  return std::make_shared<runtime::OpenDevices>(plugin, devices, threads);
}

runtime::SessionOptions momentum_options(std::uint32_t devices, std::uint32_t global_batch) {
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
  optimizer.weight_decay = 0.001;
  runtime::SessionOptions options;
  options.batch = global_batch / devices;
  options.hash_initializer = true;
  options.bucket_elements = 512;
  options.optimizer = train::make_optimizer(optimizer, devices);
  return options;
}

std::unique_ptr<data::BatchSource> hash_images(std::uint32_t devices, std::uint32_t global_batch,
                                               data::DataOptions::ImageMemory memory) {
  data::DataOptions data;
  data.data_name = "hash";
  data.replicas = static_cast<int>(devices);
  data.batch = static_cast<int>(global_batch / devices);
  data.height = data.width = 8;
  data.classes = 7;
  data.image_memory = std::move(memory);
  return data::make_source(data);
}

}  // namespace convoy::testing
