#include "core/plan/print/step_in_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing::step_in_words_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> words_of(const WritePlan& write, std::uint32_t devices) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(devices, true, "cpu");
  return plan::step_in_words(write_plan(cluster, arena, write));
}

TEST(StepInWords, JoinsOperationsThatDoTheSame) {
  const auto words = words_of(
      [](Planner& p) {
        p.compute();
        for (const Range half : split({0, 100}, 2)) {
          p.all_reduce(p.all_gradients(half));
          for (const auto r : p.replicas()) p.apply(p.parameters(r)[half], p.gradient(r)[half]);
        }
      },
      3);
  EXPECT_THAT(words, ElementsAre("forward on 3 devices", "backward on 3 devices",
                                 "all_reduce of gradients of 3 devices: 2 times, 0.0004 MB in all",
                                 "apply of gradients of 3 devices to parameters of 3 devices: 6 "
                                 "times, 0.0012 MB in all"));
}

TEST(StepInWords, CallsMemoryAndPlacesByTheirNames) {
  const auto words = words_of(
      [](Planner& p) {
        const ReplicaId r(0);
        const Buffer residual = p.persistent(p.replica_place(r), 250);
        p.name(residual, "residual");
        p.compute();
        p.copy(p.scratch(p.host_place(r), 250), residual);
        p.copy(p.parameters(r)[{0, 100}], p.master(p.host_place(r))[{0, 100}], {.relaxed = true});
      },
      1);
  EXPECT_THAT(words, ElementsAre("forward on cpu:0", "backward on cpu:0",
                                 "copy of residual of cpu:0 to scratch memory of host:0: once, "
                                 "0.001 MB in all",
                                 "copy (relaxed) of master variables of host:0 to "
                                 "parameters of cpu:0: once, 0.0004 MB in all"));
}

TEST(StepInWords, TellsTheStepsOfAPeriodApart) {
  const auto words = words_of(
      [](Planner& p) {
        p.compute();
        p.compute();
      },
      1);
  EXPECT_THAT(words, ElementsAre("step 1: forward on cpu:0", "step 1: backward on cpu:0",
                                 "step 2: forward on cpu:0", "step 2: backward on cpu:0"));
}

}  // namespace
}  // namespace convoy::testing::step_in_words_test
