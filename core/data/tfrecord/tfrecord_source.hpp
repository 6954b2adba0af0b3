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

// ImageNet from TFRecord files in options.data_dir, read, decoded and augmented by threads of its
// own. Sample g of the run (step * global batch + replica * batch + index) has the same record,
// crop, flip and colours for any number of threads, and for any number of replicas that share the
// global batch. Records are read at random places of the files, which is fast enough on solid-state
// disks. With kSkip, a training sample whose record is bad becomes the next good record of its
// epoch. In evaluation, where every record counts once, such a sample is left out (kNoLabel).
// With options.cache_records, every record is read once. With options.repeat_one_record, all
// training samples are views of the first record, which is read once, so only the processor's work
// remains.
//
// The constructor reads the headers of all files (see index_records). It fails on a missing or
// empty folder, an unreadable file, or a number of channels other than 3.
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
  struct Worker;  // the objects that a thread reuses for its samples

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
  std::vector<std::string> cache_;  // by number of the record; empty: not read yet
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<BatchPipeline> pipeline_;  // last member, because its threads use the others
};

}  // namespace convoy::data
