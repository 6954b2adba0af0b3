#include "core/runtime/asynchronous/strand_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/lagging_strategy.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing::strand_run_test {
namespace {

using Clock = std::chrono::steady_clock;

runtime::SessionOptions two_workers() {
  runtime::SessionOptions options;
  options.batch = 2;
  options.hash_initializer = true;
  options.optimizer = train::make_optimizer({}, 1);
  return options;
}

// Nothing of a step moves before the gate is asked. So the strand is still as it was before the
// pause, which may have been longer than the deadline for standing still.
TEST(StrandRun, APauseIsNoTimeThatItStoodStill) {
  const auto plugin = fake_plugin({.shared_memory = true});
  const auto strategy = lagging_strategy(-1);
  runtime::Session session(small_network(), *strategy, open_devices(*plugin, 2), two_workers());
  ASSERT_EQ(session.strands().size(), 2u);
  const auto source = hash_images(2, 4);
  runtime::StrandRun run(session, *session.strands()[0], *source, 0);
  run.go_to(1);
  run.submit(0.01);
  run.finish();
  run.seconds_still();  // as a loop asks that waits for others

  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto resumed = Clock::now();
  run.restart_clock(session.devices()->now());
  run.go_to(2);
  run.submit(0.01);
  const double still = run.seconds_still();
  EXPECT_LE(still, std::chrono::duration<double>(Clock::now() - resumed).count());
  run.finish();
}

}  // namespace
}  // namespace convoy::testing::strand_run_test
