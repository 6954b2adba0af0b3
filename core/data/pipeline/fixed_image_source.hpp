#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"
#include "core/data/pipeline/truncated_normal.hpp"

namespace convoy::data {

// The common part of the sources without files. A replica's images are made once and serve every
// step; only labels may differ between steps. `sample` is the index in the global batch, so the
// samples do not depend on the number of replicas that share a global batch.
class FixedImageSource : public BatchSource {
 public:
  const Batch& acquire(int replica, std::int64_t step) final;
  void release(int replica, std::int64_t step) final;
  SourceStatistics statistics() const final;
  std::int64_t samples_per_epoch() const final;

 protected:
  explicit FixedImageSource(const DataOptions& options);

  const DataOptions& options() const { return options_; }

 private:
  struct Held {
    std::vector<std::int32_t> labels;
    Batch batch;
  };
  struct Replica {
    std::shared_ptr<float[]> images;
    std::map<std::int64_t, Held> held;  // by step
    std::mutex mutex;
    std::int64_t produced = 0;
  };

  // Writes options().image_elements() values.
  virtual void make_image(std::uint32_t sample, float* image) const = 0;
  virtual std::int32_t make_label(std::uint32_t sample, std::int64_t step) const = 0;

  const DataOptions options_;
  mutable std::vector<Replica> replicas_;
};

// Data without files, for measurements. Images come from a normal distribution (mean 127, deviation
// 60, cut at two deviations; not normalised) and are drawn once. Labels are uniform in 0 .. classes
// - 2 and are drawn anew every step, so that the loss does not fall.
class SyntheticSource : public FixedImageSource {
 public:
  explicit SyntheticSource(const DataOptions& options);

 private:
  void make_image(std::uint32_t sample, float* image) const override;
  std::int32_t make_label(std::uint32_t sample, std::int64_t step) const override;

  TruncatedNormal pixels_;
};

// One reproducible batch, the same in every step. Images come from hash_fill with kHashImageKey
// (scale 2, offset 0) over the whole global batch. The label of sample n is (37 n + 11 seed + 1)
// mod classes. Any program can make the same bits, so losses can be compared between programs.
class HashSource : public FixedImageSource {
 public:
  explicit HashSource(const DataOptions& options) : FixedImageSource(options) {}

 private:
  void make_image(std::uint32_t sample, float* image) const override;
  std::int32_t make_label(std::uint32_t sample, std::int64_t step) const override;
};

}  // namespace convoy::data
