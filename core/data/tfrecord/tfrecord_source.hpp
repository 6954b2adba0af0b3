#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/data/pipeline/batch_pipeline.hpp"
#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/sample_order.hpp"
#include "core/data/tfrecord/record_index.hpp"

namespace convoy::data {

// ImageNet from TFRecord files in options.data_dir, read, decoded and augmented by its own threads.
// Sample g of the run (step * global batch + replica * batch + index) has the same record, crop,
// flip and colours for any number of threads, and for any number of replicas that share the global
// batch. Records are read at random places of the files: fine on solid-state disks. Under kSkip a
// sample of training whose record is bad becomes the next good record of its epoch; of evaluation,
// where every record counts once, it is left out (kNoLabel).
// With options.cache_records every record is read once; with options.repeat_one_record all samples
// of training are views of the first one, read once: what remains is the work of the processor.
//
// The constructor walks all files' headers (see index_records) and fails on a missing or empty
// folder, an unreadable file, or channels other than 3.
class TfRecordSource : public BatchSource {
 public:
  explicit TfRecordSource(const DataOptions& options);
  ~TfRecordSource() override;

  const Batch& acquire(int replica, std::int64_t step) override;
  bool is_ready(int replica, std::int64_t step) const override;
  void release(int replica, std::int64_t step) override;
  SourceStatistics statistics() const override;
  std::int64_t samples_per_epoch() const override { return order_.records(); }
  std::vector<std::string> notices() const override;

 private:
  struct Worker;  // what a thread reuses from sample to sample

  bool repeats() const { return options_.repeat_one_record && options_.subset == Subset::kTrain; }
  SampleResult make_sample(const SampleRequest& request, float* image);
  const std::string& read_record(Worker& worker, std::int64_t number);
  std::int32_t prepare(Worker& worker, std::int64_t number, std::int64_t epoch, std::int64_t place,
                       std::int64_t position, float* image);
  std::int32_t decode(Worker& worker, const std::string& record, std::int64_t epoch,
                      std::int64_t place, std::int64_t position, float* image);

  const DataOptions options_;
  const RecordIndex index_;
  const SampleOrder order_;
  std::mutex cache_mutex_;
  std::vector<std::string> cache_;  // by number of the record; empty: not yet read
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<BatchPipeline> pipeline_;  // last: its threads use the rest
};

}  // namespace convoy::data
