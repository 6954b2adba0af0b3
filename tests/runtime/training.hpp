#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::testing {

// Batches in which all elements of image i of the whole run are value(i) and every label is the
// number of the step, modulo the classes. A batch's memory is gone once it is released.
class NumberSource : public data::BatchSource {
 public:
  struct Shape {
    std::uint32_t replicas = 1;
    std::int64_t batch = 1;
    std::size_t image_elements = 1;
    std::int32_t classes = 1000;
  };
  NumberSource(const Shape& shape, std::function<float(std::int64_t image)> value);

  const data::Batch& acquire(int replica, std::int64_t step) override;
  void release(int replica, std::int64_t step) override;
  data::SourceStatistics statistics() const override { return {}; }
  std::int64_t samples_per_epoch() const override { return 1; }

  std::size_t held() const { return held_.size(); }
  std::int64_t acquired() const { return acquired_; }
  std::function<void(std::int64_t step)> before_acquire;  // may sleep or throw

 private:
  struct Held {
    std::vector<float> images;
    std::vector<std::int32_t> labels;
    data::Batch batch;
  };
  Shape shape_;
  std::function<float(std::int64_t image)> value_;
  std::map<std::pair<int, std::int64_t>, Held> held_;
  std::int64_t acquired_ = 0;
};

train::LearningRateSchedule constant_rate(double rate);

// All finished steps of a run, warm-up first.
std::vector<TrainingStep> train(runtime::Session& session, data::BatchSource& source, double rate,
                                std::int64_t timed_steps, std::int64_t warmup_steps = 0);

// For a session of their own; threads: of each CPU device.
std::shared_ptr<runtime::OpenDevices> open_devices(const plugin::DevicePlugin& plugin,
                                                   std::uint32_t devices,
                                                   std::uint32_t threads = 1);

// A session with momentum and weight decay, a global batch divided among the devices, and initial
// values that are the same for any number of devices.
runtime::SessionOptions momentum_options(std::uint32_t devices, std::uint32_t global_batch);

// Reference images for small_network(), a global batch divided among the devices.
std::unique_ptr<data::BatchSource> hash_images(std::uint32_t devices, std::uint32_t global_batch,
                                               data::DataOptions::ImageMemory memory = {});

}  // namespace convoy::testing
