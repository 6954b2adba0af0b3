// Strands of one process: devices that take their own steps.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/lagging_strategy.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing::asynchronous_test {
namespace {

using runtime::run_training;
using runtime::Session;
using runtime::SessionOptions;
using runtime::TrainingSummary;

SessionOptions session_options() {
  SessionOptions options;
  options.batch = 2;
  options.hash_initializer = true;
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_SGD;
  options.optimizer = train::make_optimizer(optimizer, 1);
  options.executor.deadline_seconds = 30;
  return options;
}

TrainingSummary train_with_lag(std::int64_t max_lag, std::uint32_t devices, std::int64_t steps) {
  const auto plugin = fake_plugin({.shared_memory = true});
  const auto strategy = lagging_strategy(max_lag);
  Session session(small_network(), *strategy, open_devices(*plugin, devices), session_options());
  EXPECT_TRUE(session.is_asynchronous());
  EXPECT_EQ(session.strands().size(), devices);
  const auto source = hash_images(devices, 2 * devices);
  return run_training(session, *source, constant_rate(0.01), {2, steps, 0}, {});
}

std::int64_t lead_of_first(const TrainingSummary& summary) {
  return summary.workers.front().steps - summary.workers.back().steps;
}

std::uint64_t most_stale(const WorkerRecord& worker) {
  return worker.staleness.empty() ? 0 : worker.staleness.rbegin()->first;
}

// A device may read variables without the last `lag` updates of another, and no older ones. So it
// is ahead by as many steps, and by those that are in flight.
TEST(Asynchronous, DevicesLeadASlowOneByTheLagThatTheyMay) {
  constexpr std::int64_t kInFlight = 2;
  std::vector<std::int64_t> leads;
  for (const std::int64_t lag : {1, 2, 8, -1}) {
    const std::int64_t steps = lag < 0 ? 60 : 12;
    const TrainingSummary summary = train_with_lag(lag, 2, steps);
    ASSERT_EQ(summary.workers.size(), 2u);
    EXPECT_GE(summary.workers[0].steps + summary.workers[1].steps, 2 * steps - 1) << "lag " << lag;
    leads.push_back(lead_of_first(summary));
    EXPECT_GT(most_stale(summary.workers.back()), 0u) << "lag " << lag;
    if (lag < 0) continue;
    EXPECT_LE(leads.back(), lag + kInFlight) << "lag " << lag;
    EXPECT_GE(leads.back(), lag - kInFlight) << "lag " << lag;
  }
  EXPECT_LT(leads[1], leads[2]);
  EXPECT_LT(leads[2] + 4, leads[3]) << "nobody waits without a bound";
}

TEST(Asynchronous, ReportsHowManyUpdatesCameBetweenReadingAndApplying) {
  const TrainingSummary bounded = train_with_lag(1, 3, 8);
  const TrainingSummary free = train_with_lag(-1, 3, 80);
  ASSERT_EQ(bounded.workers.size(), 3u);
  ASSERT_EQ(free.workers.size(), 3u);
  // Of two others, each is at most the lag and what is in flight ahead or behind.
  for (const WorkerRecord& worker : bounded.workers) EXPECT_LE(most_stale(worker), 2u * (1 + 3));
  EXPECT_GT(most_stale(free.workers.back()), most_stale(bounded.workers.back()));
  double sum = 0;
  for (const WorkerRecord& worker : free.workers) {
    EXPECT_GT(worker.images_per_second, 0);
    sum += worker.images_per_second;
  }
  EXPECT_GT(free.workers.front().images_per_second, 2 * free.workers.back().images_per_second);
  EXPECT_GT(sum, free.workers.front().images_per_second);
}

// The images of the first device always come 100 ms after the last ones.
class LateForOne : public NumberSource {
 public:
  LateForOne() : NumberSource({2, 2, 3 * 8 * 8, 7}, [](std::int64_t) { return 1.f; }) {}
  const data::Batch& acquire(int replica, std::int64_t step) override {
    while (!is_ready(replica, step)) std::this_thread::yield();
    if (replica == 0) last_ = std::chrono::steady_clock::now();
    return NumberSource::acquire(replica, step);
  }
  bool is_ready(int replica, std::int64_t /*step*/) const override {
    return replica == 1 ||
           std::chrono::steady_clock::now() - last_ >= std::chrono::milliseconds(100);
  }

 private:
  std::chrono::steady_clock::time_point last_;
};

TEST(Asynchronous, AWorkerWithoutImagesKeepsNoOtherOneWaiting) {
  const auto plugin = fake_plugin({.shared_memory = true});
  const auto strategy = lagging_strategy(-1);
  Session session(small_network(), *strategy, open_devices(*plugin, 2), session_options());
  LateForOne source;
  const TrainingSummary summary =
      run_training(session, source, constant_rate(0.01), {1, 30, 0}, {});
  EXPECT_GT(summary.workers[1].steps, 1.8 * static_cast<double>(summary.workers[0].steps))
      << "each takes 30 ms";
  EXPECT_GT(summary.input_wait_seconds, 0.7 * summary.total_seconds) << "of the first device";
  EXPECT_EQ(source.held(), 0u);
}

TEST(Asynchronous, CheckpointsFindAllUpdatesApplied) {
  const auto plugin = fake_plugin({.delay_microseconds = 30, .shared_memory = true});
  const auto strategy = lagging_strategy(-1);
  Session session(small_network(), *strategy, open_devices(*plugin, 2), session_options());
  const auto source = hash_images(2, 4);
  const TrainingSummary summary =
      run_training(session, *source, constant_rate(0.01), {1, 10, 7}, {});
  EXPECT_GE(summary.global_step, 7 + 1 + 9);
  std::int64_t updates = 0;
  for (const auto& strand : session.strands()) updates += strand->next_step();
  EXPECT_EQ(session.values().updates(), static_cast<std::uint64_t>(updates)) << "of all devices";
  EXPECT_TRUE(session.cancel("the end"));  // nothing is left to wait for
}

// What a training with these devices ends with.
Error error_of(const FakeOptions& devices, double deadline_seconds) {
  const auto plugin = fake_plugin(devices);
  const auto strategy = lagging_strategy(-1);
  SessionOptions options = session_options();
  options.executor.deadline_seconds = deadline_seconds;
  Session session(small_network(), *strategy, open_devices(*plugin, 2), options);
  const auto source = hash_images(2, 4);
  try {
    run_training(session, *source, constant_rate(0.01), {0, 1000000, 0}, {});
  } catch (const Error& error) {
    return error;
  }
  return Error(ExitCode::kOk, "nothing went wrong");
}

TEST(Asynchronous, AFailureOfADeviceEndsAll) {
  const Error error = error_of({.shared_memory = true, .fail_device = 0, .fail_operation = 40}, 30);
  EXPECT_NE(error.code(), ExitCode::kOk);
  EXPECT_NE(std::string(error.what()).find("fake:0"), std::string::npos) << error.what();
}

// Although the other one goes on.
TEST(Asynchronous, ADeviceThatHangsIsNamed) {
  const Error error = error_of(
      {.shared_memory = true, .hang_device = 1, .hang_operation = 5, .hang_milliseconds = 2000}, 1);
  EXPECT_EQ(error.code(), ExitCode::kTimeout) << error.what();
  EXPECT_NE(std::string(error.what()).find("fake:1"), std::string::npos) << error.what();
}

// How many run at once, at most.
struct Crowd {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
};
Crowd& crowd() {
  static Crowd it;
  return it;
}

std::int32_t jostle(const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                    std::uint64_t) {
  const int now = ++crowd().inside;
  int most = crowd().most;
  while (most < now && !crowd().most.compare_exchange_weak(most, now)) continue;
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  static_cast<float*>(writes->data)[0] += static_cast<const float*>(reads->data)[0];
  --crowd().inside;
  return 0;
}

// Devices write to the same elements in any order, each by itself.
class Jostling : public Strategy {
 public:
  void plan(Planner& p) override {
    const PlaceId home = p.host_place(ReplicaId(0));
    const Buffer shared = p.persistent(home, 4);
    p.compute();
    for (const auto r : p.replicas()) {
      const Span read = p.gradient(r)[Range{0, 4}];
      auto jostling = make_sized<convoy_operation>();
      jostling.kind = CONVOY_OP_CALL;
      jostling.kernel = "jostle";
      jostling.flags = CONVOY_OP_ANY_ORDER;
      jostling.place = p.replica_place(r).index();
      p.emit(jostling, {read}, {shared});
      p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    }
  }
  convoy_host_kernel host_kernel(const std::string&) override { return jostle; }
};

TEST(Asynchronous, UpdatesInAnyOrderHaveTheirRangeForThemselves) {
  const auto plugin = fake_plugin({.shared_memory = true});
  const auto strategy = built_in_strategy<Jostling>("jostling", 0);
  Session session(small_network(), *strategy, open_devices(*plugin, 3), session_options());
  ASSERT_EQ(session.strands().size(), 3u);
  const auto source = hash_images(3, 6);
  const TrainingSummary summary =
      run_training(session, *source, constant_rate(0.001), {0, 30, 0}, {});
  EXPECT_EQ(summary.workers.size(), 3u);
  EXPECT_EQ(crowd().most, 1);
}

}  // namespace
}  // namespace convoy::testing::asynchronous_test
