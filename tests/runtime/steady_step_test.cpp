#include <gtest/gtest.h>

#include <optional>

#include "core/train/optimizer.hpp"
#include "tests/runtime/counted_calls.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint32_t kDevices = 2;
constexpr std::int64_t kBatch = 4;

// The same images for ever, without any work.
class SameImages : public data::BatchSource {
 public:
  const data::Batch& acquire(int, std::int64_t) override { return batch_; }
  void release(int, std::int64_t) override {}
  data::SourceStatistics statistics() const override { return {}; }
  std::int64_t samples_per_epoch() const override { return 1; }

 private:
  std::vector<float> images_ = std::vector<float>(kBatch * 3 * 8 * 8, 0.5f);
  std::vector<std::int32_t> labels_ = {0, 1, 2, 3};
  data::Batch batch_{images_.data(), labels_.data(), kBatch};
};

class SteadyStep : public ::testing::TestWithParam<const char*> {};

TEST_P(SteadyStep, NeitherAllocatesNorLocks) {
  plugin::PluginHost host;
  const auto devices = cpu_plugin(host);
  const auto strategy = strategy_plugin(host, GetParam());
  runtime::SessionOptions options;
  options.batch = kBatch;
  options.bucket_elements = 256;
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
  options.optimizer = train::make_optimizer(optimizer, kDevices);
  std::optional<CallCounter> counter(std::in_place);
  runtime::Session session(normalised_network(), *strategy, open_devices(*devices, kDevices),
                           options);
  const CallCounts building = counter->counts();
  EXPECT_GT(building.allocations, 0) << "the counter does not count";
  EXPECT_GT(building.locks, 0) << "the counter does not count";

  counter.reset();
  SameImages source;
  CallCounts steady;
  runtime::TrainingEvents events;
  events.timed_step = [&](const TrainingStep& step) {
    if (step.number == 10) counter.emplace();
    if (step.number != 60) return;
    steady = counter->counts();
    counter.reset();
  };
  const runtime::TrainingSummary summary =
      runtime::run_training(session, source, constant_rate(0.001), {0, 62, 0}, events);
  EXPECT_EQ(summary.timed_steps, 62);
  EXPECT_EQ(steady.allocations, 0) << "in 50 steps";
  EXPECT_EQ(steady.locks, 0) << "in 50 steps";
}

INSTANTIATE_TEST_SUITE_P(Strategies, SteadyStep,
                         ::testing::Values("replicated", "parameter_server", "independent"));

}  // namespace
}  // namespace convoy::testing
