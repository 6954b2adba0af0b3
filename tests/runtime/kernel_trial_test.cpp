// What a trial finds of kernels that do other things than their call says.
#include "core/runtime/kernel_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>

#include "core/plan/cluster.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

// How a kernel is called: with a scratch buffer, the sum of whose reads are the gradient and it.
struct Called {
  bool in_place = false;  // the buffer is read, too
  CallEffect effect = CallEffect::kUndeclared;
  std::uint64_t elements = 0;  // of the buffer and of another one that is read; 0: of the arena
  TrialTime time = {};
};

// The plan's only call.
const Operation& call_of(const Plan& plan) {
  return *std::ranges::find(plan.body, OperationKind::kCall, &Operation::kind);
}

Plan plan_of(const Cluster& cluster, const ArenaMap& arena, const Called& called) {
  return write_plan(cluster, arena, [&](Planner& p) {
    const ReplicaId r(0);
    const PlaceId here = p.replica_place(r);
    p.compute();
    const bool own = called.elements > 0;
    const Buffer buffer = p.scratch(here, own ? called.elements : p.arena_elements());
    p.name(buffer, "result");
    p.fill(buffer, 0);
    std::vector<Span> reads = {p.gradient(r)};
    if (own) {
      const Buffer other = p.scratch(here, called.elements);
      p.fill(other, 0);
      reads = {other};
    }
    if (called.in_place) reads.push_back(buffer);
    p.call("tried", here, reads, {buffer}, {.effect = called.effect});
    p.apply(p.parameters(r), part(buffer, 0, p.arena_elements()));
  });
}

KernelTrial try_it(convoy_host_kernel function, const Called& called = {}) {
  const Cluster cluster = make_single_host(1, true, "cpu");
  const ArenaMap arena = small_arena(0);
  const Plan plan = plan_of(cluster, arena, called);
  return try_kernel(function, plan, call_of(plan), called.time);
}

std::string trial_of(convoy_host_kernel function, const Called& called = {}) {
  return try_it(function, called).problem;
}

float* floats(const convoy_region* regions, std::uint64_t index) {
  return static_cast<float*>(regions[index].data);
}

// Every element of the result by a function of the elements that are read.
template <typename Element>
std::int32_t each(const convoy_region* reads, std::uint64_t read_count, const convoy_region* writes,
                  Element element) {
  for (std::uint64_t i = 0; i < writes[0].count; ++i)
    floats(writes, 0)[i] = element(floats(reads, 0)[i], read_count > 1 ? floats(reads, 1)[i] : 0);
  return 0;
}

TEST(KernelTrial, FindsNothingInRightOnes) {
  const convoy_host_kernel sum = [](const convoy_region* reads, std::uint64_t n,
                                    const convoy_region* writes, std::uint64_t) {
    return each(reads, n, writes, [](float a, float b) { return a + b; });
  };
  EXPECT_EQ(trial_of(sum), "");
  EXPECT_EQ(trial_of(sum, {.effect = CallEffect::kSums}), "");
  EXPECT_EQ(trial_of(sum, {.in_place = true, .effect = CallEffect::kSums}), "");
}

TEST(KernelTrial, ARightOneMayLeaveElementsAlone) {
  EXPECT_EQ(trial_of([](const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                        std::uint64_t) {
              floats(writes, 0)[0] = floats(reads, 0)[1];
              return 0;
            }),
            "");
}

TEST(KernelTrial, NamesWhatLiesFarOutside) {
  EXPECT_THAT(trial_of([](const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                          std::uint64_t) {
                floats(writes, 0)[0] = floats(reads, 0)[reads[0].count + 5000];
                return 0;
              }),
              HasSubstr("reads or writes behind the end of gradient"));
}

TEST(KernelTrial, NamesAReadThatIsWritten) {
  EXPECT_THAT(
      trial_of([](const convoy_region* reads, std::uint64_t, const convoy_region*, std::uint64_t) {
        floats(reads, 0)[0] = 0;
        return 0;
      }),
      ::testing::AllOf(HasSubstr("writes gradient"), HasSubstr("only reads")));
}

TEST(KernelTrial, NamesAWriteThatIsRead) {
  EXPECT_THAT(trial_of([](const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                          std::uint64_t) {
                floats(writes, 0)[0] += floats(reads, 0)[0];
                return 0;
              }),
              ::testing::AllOf(HasSubstr("reads result"), HasSubstr("only writes")));
}

TEST(KernelTrial, FindsHiddenState) {
  EXPECT_THAT(trial_of([](const convoy_region* reads, std::uint64_t n, const convoy_region* writes,
                          std::uint64_t) {
                static int calls = 0;
                ++calls;
                return each(reads, n, writes,
                            [](float a, float) { return a * static_cast<float>(calls); });
              }),
              HasSubstr("called again with the same values"));
}

TEST(KernelTrial, HoldsSumsAgainstWhatIsDeclared) {
  const convoy_host_kernel copy = [](const convoy_region* reads, std::uint64_t n,
                                     const convoy_region* writes, std::uint64_t) {
    return each(reads, n, writes, [](float a, float) { return a; });
  };
  EXPECT_EQ(trial_of(copy, {.effect = CallEffect::kSums}), "");
  EXPECT_THAT(trial_of(copy, {.in_place = true, .effect = CallEffect::kSums}),
              HasSubstr("not the sum of the reads"));
}

TEST(KernelTrial, SaysHowAKernelEnds) {
  EXPECT_EQ(trial_of([](const convoy_region*, std::uint64_t, const convoy_region*, std::uint64_t) {
              return 1;
            }),
            "returns an error");
  EXPECT_EQ(trial_of([](const convoy_region*, std::uint64_t, const convoy_region*,
                        std::uint64_t) -> std::int32_t { _exit(0); }),
            "ends the process");
}

// An arena of 80 MiB is as usual as a small one.
TEST(KernelTrial, FindsFaultsOnLargeSpansToo) {
  constexpr std::uint64_t kElements = std::uint64_t{20} << 20;
  EXPECT_THAT(
      trial_of(
          [](const convoy_region*, std::uint64_t, const convoy_region* writes, std::uint64_t) {
            floats(writes, 0)[writes[0].count] = 1;
            return 0;
          },
          {.elements = kElements}),
      HasSubstr("behind the end of result"));
  EXPECT_THAT(trial_of(
                  [](const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                     std::uint64_t) {
                    floats(writes, 0)[kElements - 1] += floats(reads, 0)[kElements - 1];
                    return 0;
                  },
                  {.elements = kElements}),
              HasSubstr("reads result"));
}

TEST(KernelTrial, SaysWhatIsTooLarge) {
  const Cluster cluster = make_single_host(1, true, "cpu");
  const ArenaMap arena = small_arena(0);
  const Plan usual = plan_of(cluster, arena, {.elements = std::uint64_t{4} << 20});
  EXPECT_EQ(too_large_to_try(call_of(usual)), "");
  const Plan large = plan_of(cluster, arena, {.elements = std::uint64_t{1} << 30});
  EXPECT_EQ(too_large_to_try(call_of(large)), "8192 MiB of spans");
}

TEST(KernelTrial, EndsACallThatDoesNotReturn) {
  EXPECT_EQ(trial_of(
                [](const convoy_region*, std::uint64_t, const convoy_region*,
                   std::uint64_t) -> std::int32_t {
                  for (;;) pause();
                },
                {.time = {.each_call = 0.1}}),
            "does not return within 0.1 seconds");
}

// A kernel that takes its time is not one that hangs, nor one that was tried.
TEST(KernelTrial, BeginsNoCallWhenTheTimeIsOver) {
  const convoy_host_kernel slow = [](const convoy_region*, std::uint64_t, const convoy_region*,
                                     std::uint64_t) {
    usleep(20'000);
    return 0;
  };
  const KernelTrial trial = try_it(slow, {.time = {.each_call = 600, .all_calls = 0.01}});
  EXPECT_EQ(trial.problem, "");
  EXPECT_TRUE(trial.out_of_time);
  EXPECT_GE(trial.call_seconds, 0.02);
  EXPECT_FALSE(try_it(slow, {.time = {.each_call = 600, .all_calls = 600}}).out_of_time);
}

}  // namespace
}  // namespace convoy::testing
