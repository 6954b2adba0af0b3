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

// One sample to make.
struct SampleRequest {
  int worker = 0;  // 0 .. threads - 1: the scratch area of the caller to use
  std::int64_t step = 0;
  std::int64_t position = 0;  // in the global batch: replica * batch + index in the batch
};

// The result for one sample.
struct SampleResult {
  std::int32_t label = 0;
  bool replaced = false;  // its own record was bad; the sample is left out if the label is kNoLabel
  std::string reason;     // why it was replaced
};

// Makes a sample that does not count: an empty image without a label.
SampleResult left_out_sample(const DataOptions& options, float* image);

// Worker threads that fill batches ahead of their use, sample by sample, in the order of steps. At
// most `prefetch_depth` batches of a replica are in preparation or waiting. Batches that the caller
// holds do not count, so any number may be held. Buffers are reused.
class BatchPipeline {
 public:
  // Writes one image to `image` (image_elements() floats). Several threads call it. If it throws,
  // the acquire() of that batch throws the same error; of several errors, the one with the lowest
  // position.
  using MakeSample = std::function<SampleResult(const SampleRequest&, float* image)>;

  BatchPipeline(const DataOptions& options, MakeSample make_sample);
  ~BatchPipeline();  // waits for samples in progress; no batch may be in use
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
    int started = 0;  // number of samples handed to workers
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
  // Last member: stopped and joined before the others are destroyed.
  std::vector<std::jthread> workers_;
};

}  // namespace convoy::data
