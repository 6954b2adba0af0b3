#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/train/optimizer.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

// Resident memory of this process in bytes.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(Endurance, MemoryDoesNotGrowWithTheSteps) {
  constexpr std::uint32_t kReplicas = 2;
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  plugin::PluginHost host;
  const auto devices = cpu_plugin(host);
  const auto strategy = strategy_plugin(host, "parameter_server");
  runtime::SessionOptions options;
  options.optimizer = train::make_optimizer({}, kReplicas);
  runtime::Session session(small_network(), *strategy, open_devices(*devices, kReplicas), options);
  NumberSource source({kReplicas, 1, 192, 7},
                      [](std::int64_t image) { return static_cast<float>(image % 7) / 7; });
  std::int64_t early = 0;
  runtime::TrainingEvents events;
  events.timed_step = [&](const TrainingStep& step) {
    if (step.number == 200) early = resident_bytes();
  };
  runtime::run_training(session, source, constant_rate(0.001), {0, 1000, 0}, events);
  EXPECT_GT(early, 0);
  EXPECT_LT(resident_bytes() - early, kMost);
}

}  // namespace
}  // namespace convoy::testing
