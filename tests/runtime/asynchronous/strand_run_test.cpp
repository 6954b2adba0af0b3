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

runtime::SessionOptions two_workers() {
  runtime::SessionOptions options;
  options.batch = 2;
  options.hash_initializer = true;
  options.optimizer = train::make_optimizer({}, 1);
  return options;
}

TEST(StrandRun, APauseIsPartOfNoStep) {
  const auto plugin = fake_plugin({.shared_memory = true});
  const auto strategy = lagging_strategy(-1);
  runtime::Session session(small_network(), *strategy, open_devices(*plugin, 2), two_workers());
  ASSERT_EQ(session.strands().size(), 2u);
  const auto source = hash_images(2, 4);
  runtime::StrandRun run(session, *session.strands()[0], *source, 0);
  const auto step = [&] {
    run.go_to(run.submitted() + 1);
    run.submit(0.01);
    return run.finish();
  };
  const double end = step().end;
  EXPECT_EQ(step().begin, end);

  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const double resumed = session.devices()->now();
  run.restart_clock(resumed);
  const runtime::StrandStep next = step();
  EXPECT_EQ(next.begin, resumed);
  EXPECT_GE(next.end, resumed);
}

}  // namespace
}  // namespace convoy::testing::strand_run_test
