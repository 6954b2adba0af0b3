#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::data {

// The label of an evaluation sample that does not count, because its own record is bad or because
// it only fills up the last batch. Its image is empty, and devices leave it out of loss and hits.
inline constexpr std::int32_t kNoLabel = -1;

// One batch of one replica in host memory. `images` is plain NCHW float32, already normalised.
// `labels` has `count` entries.
struct Batch {
  const float* images = nullptr;
  const std::int32_t* labels = nullptr;
  std::int64_t count = 0;
  std::int64_t left_out = 0;  // samples among them without a label
};

// Totals over all replicas, for the batches acquired so far.
struct SourceStatistics {
  std::int64_t images = 0;
  std::int64_t made = 0;  // images, those of batches that are not yet acquired included
  // Samples whose own record could not be used and was replaced or left out, plus files with
  // damaged framing of records. Such files are used only up to the damage.
  std::int64_t bad_records = 0;
  // The problem of one of them (file, offset and reason); empty if there are none.
  std::string bad_record_example;
  double wait_seconds = 0;  // time for which acquire() was blocked
};

// The source of the replicas' batches. For one replica, acquire() is called with consecutive steps
// (beginning with the source's first step) and returns when that batch is ready. The batch stays
// valid until release(). Several batches of a replica may be held at once. Different replicas may
// call from different threads. acquire() throws every error of the source's threads as
// convoy::Error.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual const Batch& acquire(int replica, std::int64_t step) = 0;
  // Returns whether acquire() of the replica's next step would return, or throw, without waiting.
  virtual bool is_ready(int /*replica*/, std::int64_t /*step*/) const { return true; }
  virtual void release(int replica, std::int64_t step) = 0;
  virtual SourceStatistics statistics() const = 0;

  // Returns the number of samples of one epoch, over all replicas.
  virtual std::int64_t samples_per_epoch() const = 0;

  // Returns anything unusual about the data as a whole, for people, such as missing files.
  virtual std::vector<std::string> notices() const { return {}; }
};

}  // namespace convoy::data
