#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// One sample that a worker is to make.
struct SampleRequest {
  int worker = 0;  // 0 .. threads - 1: which of the caller's scratch areas to use
  std::int64_t step = 0;
  std::int64_t position = 0;  // in the global batch: replica * batch + index in the batch
};

// What became of it.
struct SampleResult {
  std::int32_t label = 0;
  bool replaced = false;  // its own record was bad; left out if the label is kNoLabel
  std::string reason;     // why, if replaced
};

// A sample that does not count: an empty image without a label.
SampleResult left_out_sample(const DataOptions& options, float* image);

// Worker threads that fill batches ahead of their use, sample by sample, in the order of steps. At
// most `prefetch_depth` batches of a replica are in preparation or waiting; those that the caller
// holds do not count, so any number may be held. Buffers are reused.
class BatchPipeline {
 public:
  // Writes one image to `image` (image_elements() floats); called by several threads. What it
  // throws is thrown by the acquire() of that batch, the error of the lowest position if there are
  // several.
  using MakeSample = std::function<SampleResult(const SampleRequest&, float* image)>;

  BatchPipeline(const DataOptions& options, MakeSample make_sample);
  ~BatchPipeline();  // lets samples in the making finish; no batch may be in use
  BatchPipeline(const BatchPipeline&) = delete;
  BatchPipeline& operator=(const BatchPipeline&) = delete;

  const Batch& acquire(int replica, std::int64_t step);
  bool is_ready(int replica, std::int64_t step) const;
  void release(int replica, std::int64_t step);
  SourceStatistics statistics() const;

 private:
  struct Slot {
    int replica = 0;
    std::int64_t step = 0;
    std::shared_ptr<float[]> images;
    std::vector<std::int32_t> labels;
    Batch batch;
    int started = 0;  // samples handed to workers
    int finished = 0;
    int replaced = 0;
    std::string reason;
    std::exception_ptr error;
    std::int64_t error_position = 0;
  };
  struct Replica {
    std::map<std::int64_t, std::unique_ptr<Slot>> slots;  // by step
    std::int64_t next_acquired = 0;
    std::int64_t next_scheduled = 0;
  };

  void work(const std::stop_token& stop, int worker);
  void make(const SampleRequest& request, Slot& slot);
  void schedule(int replica);

  const DataOptions options_;
  const MakeSample make_sample_;
  mutable std::mutex mutex_;
  std::condition_variable_any work_ready_;
  std::condition_variable batch_ready_;
  std::vector<Replica> replicas_;
  std::deque<Slot*> open_;  // batches with samples that no worker has taken yet
  std::vector<std::unique_ptr<Slot>> unused_;
  SourceStatistics statistics_;
  std::vector<std::jthread> workers_;  // last: stopped and joined before the rest goes
};

}  // namespace convoy::data
