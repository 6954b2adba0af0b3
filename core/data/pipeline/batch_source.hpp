#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::data {

// The label of a sample of evaluation that does not count, because its own record is bad or because
// it only fills up the last batch: its image is empty, and devices leave it out of loss and hits.
inline constexpr std::int32_t kNoLabel = -1;

// One batch of one replica in host memory. `images` is NCHW plain float32, already normalised;
// `labels` has `count` entries.
struct Batch {
  const float* images = nullptr;
  const std::int32_t* labels = nullptr;
  std::int64_t count = 0;
  std::int64_t left_out = 0;  // of them, samples without a label
};

// Totals over all replicas, of the batches acquired so far.
struct SourceStatistics {
  std::int64_t images = 0;
  // Samples whose own record could not be used and was replaced or left out, plus files with
  // damaged framing of records; of these, only the records before the damage are used.
  std::int64_t bad_records = 0;
  // What was wrong with one of them (file, offset and reason); empty if none.
  std::string bad_record_example;
  double wait_seconds = 0;  // time acquire() spent blocked
};

// Where replicas get their batches. For one replica, acquire() is called with consecutive steps
// (beginning with the source's first step) and returns when that batch is ready; the batch stays
// valid until release(). Several batches of a replica may be held at once. Different replicas may
// call from different threads. Whatever goes wrong behind the scenes is thrown by acquire() as
// convoy::Error.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual const Batch& acquire(int replica, std::int64_t step) = 0;
  // Whether acquire() of the replica's next step returns at once, or throws.
  virtual bool is_ready(int /*replica*/, std::int64_t /*step*/) const { return true; }
  virtual void release(int replica, std::int64_t step) = 0;
  virtual SourceStatistics statistics() const = 0;

  // Samples that make one epoch, over all replicas.
  virtual std::int64_t samples_per_epoch() const = 0;

  // What is odd about the data as a whole, for people: files that are missing, for example.
  virtual std::vector<std::string> notices() const { return {}; }
};

}  // namespace convoy::data
