#pragma once

#include <memory>

#include "core/data/cifar10/cifar10_images.hpp"
#include "core/data/pipeline/batch_pipeline.hpp"
#include "core/data/pipeline/batch_source.hpp"
#include "core/data/pipeline/sample_order.hpp"

namespace convoy::data {

// CIFAR-10 from options.data_dir, held in memory. Sample g of the run (step * global batch +
// replica * batch + index) is the same for any number of threads, and for any number of replicas
// that share the global batch. Values are x / 127.5 - 1. Only training with options.distortions
// changes pictures: it adds a border of 4 black pixels, takes a random 32 x 32 window, and mirrors
// it half of the time.
//
// The constructor reads all files; see read_cifar10 for its errors. Error(kUsage) if the input is
// not 3 x 32 x 32.
class Cifar10Source : public BatchSource {
 public:
  explicit Cifar10Source(const DataOptions& options);

  const Batch& acquire(int replica, std::int64_t step) override;
  bool is_ready(int replica, std::int64_t step) const override;
  void release(int replica, std::int64_t step) override;
  SourceStatistics statistics() const override;
  std::int64_t samples_per_epoch() const override { return order_.records(); }
  std::vector<std::string> notices() const override;

 private:
  SampleResult make_sample(const SampleRequest& request, float* image) const;

  const DataOptions options_;
  const Cifar10Images images_;
  const SampleOrder order_;
  std::unique_ptr<BatchPipeline> pipeline_;  // last member, because its threads use the others
};

}  // namespace convoy::data
