#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/data_options.hpp"

namespace convoy::data {

// What the sources without files have in common: a replica's images are made once and serve every
// step, only labels may differ between steps. `sample` is the index in the global batch, so
// replicas that share a global batch see the same samples whatever their number.
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

}  // namespace convoy::data
