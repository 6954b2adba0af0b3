// What a trial finds of kernels that do other things than their call says.
#include "core/runtime/trial/kernel_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>

#include "core/plan/cluster.hpp"
#include "core/plan/reference/half.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// How a kernel is called: with a scratch buffer, the sum of whose reads are the gradient and it.
struct Called {
  bool in_place = false;  // the buffer is read, too
  CallEffect effect = CallEffect::kUndeclared;
  std::uint64_t elements = 0;  // of the buffer and of another one that is read; 0: of the arena
  runtime::TrialTime time = {};
  Dtype dtype = Dtype::kF32;  // of both
};

// The plan's only call.
const plan::Operation& call_of(const plan::Plan& plan) {
  return *std::ranges::find(plan.body, plan::OperationKind::kCall, &plan::Operation::kind);
}

plan::Plan plan_of(const plan::Cluster& cluster, const plan::ArenaMap& arena,
                   const Called& called) {
  return write_plan(cluster, arena, [&](Planner& p) {
    const ReplicaId r(0);
    const PlaceId here = p.replica_place(r);
    p.compute();
    const bool own = called.elements > 0;
    const Buffer buffer = p.scratch(here, own ? called.elements : p.arena_elements(), called.dtype);
    p.name(buffer, "result");
    p.fill(buffer, 0);
    std::vector<Span> reads = {p.gradient(r)};
    if (own) {
      const Buffer other = p.scratch(here, called.elements, called.dtype);
      p.fill(other, 0);
      reads = {other};
    }
    if (called.in_place) reads.push_back(buffer);
    p.call("tried", here, reads, {buffer}, {.effect = called.effect});
    const Buffer applied = p.scratch(here, p.arena_elements());
    if (called.dtype != Dtype::kF32) p.cast(applied, part(buffer, 0, p.arena_elements()));
    p.apply(p.parameters(r),
            called.dtype == Dtype::kF32 ? part(buffer, 0, p.arena_elements()) : Span(applied));
  });
}

runtime::KernelTrial try_it(convoy_host_kernel function, const Called& called = {}) {
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  const plan::Plan plan = plan_of(cluster, arena, called);
  return runtime::try_kernel(function, plan, call_of(plan), called.time);
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
      AllOf(HasSubstr("writes gradient"), HasSubstr("only reads")));
}

TEST(KernelTrial, NamesAWriteThatIsRead) {
  EXPECT_THAT(trial_of([](const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                          std::uint64_t) {
                floats(writes, 0)[0] += floats(reads, 0)[0];
                return 0;
              }),
              AllOf(HasSubstr("reads result"), HasSubstr("only writes")));
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

// Numbers of 16 bits: the sign of one type is that of all.
TEST(KernelTrial, HoldsSumsOf16BitsAgainstWhatIsDeclared) {
  constexpr std::uint64_t kElements = 4096;
  const convoy_host_kernel copy = [](const convoy_region* reads, std::uint64_t,
                                     const convoy_region* writes, std::uint64_t) {
    std::memcpy(writes[0].data, reads[0].data, 2 * writes[0].count);
    return 0;
  };
  const convoy_host_kernel negate = [](const convoy_region* reads, std::uint64_t,
                                       const convoy_region* writes, std::uint64_t) {
    for (std::uint64_t i = 0; i < writes[0].count; ++i)
      static_cast<std::uint16_t*>(writes[0].data)[i] =
          static_cast<std::uint16_t*>(reads[0].data)[i] ^ 0x8000u;
    return 0;
  };
  for (const Dtype dtype : {Dtype::kBf16, Dtype::kF16}) {
    const Called called{.effect = CallEffect::kSums, .elements = kElements, .dtype = dtype};
    EXPECT_EQ(trial_of(copy, called), "");
    EXPECT_THAT(trial_of(negate, called), HasSubstr("not the sum of the reads"));
  }
}

// What is unusual for the type that is read may have no place in the one that is written.
TEST(KernelTrial, KeepsUnusualNumbersWithinF16) {
  const convoy_host_kernel narrow = [](const convoy_region* reads, std::uint64_t,
                                       const convoy_region* writes, std::uint64_t) {
    for (std::uint64_t i = 0; i < writes[0].count; ++i)
      static_cast<std::uint16_t*>(writes[0].data)[i] =
          plan::to_f16(static_cast<const float*>(reads[0].data)[i]);
    return 0;
  };
  EXPECT_EQ(trial_of(narrow, {.effect = CallEffect::kSums, .dtype = Dtype::kF16}), "");
}

// Right as long as values are as usual.
TEST(KernelTrial, FindsSumsThatAreWrongForUnusualNumbers) {
  const convoy_host_kernel clips = [](const convoy_region* reads, std::uint64_t n,
                                      const convoy_region* writes, std::uint64_t) {
    return each(reads, n, writes, [](float a, float) { return std::clamp(a, -64.f, 64.f); });
  };
  EXPECT_THAT(trial_of(clips, {.effect = CallEffect::kSums}),
              AllOf(HasSubstr("not the sum"), HasSubstr("when it reads large numbers")));
  const convoy_host_kernel drops = [](const convoy_region* reads, std::uint64_t n,
                                      const convoy_region* writes, std::uint64_t) {
    return each(reads, n, writes, [](float a, float) { return std::fabs(a) < 1e-5f ? 0 : a; });
  };
  EXPECT_THAT(trial_of(drops, {.effect = CallEffect::kSums}),
              AllOf(HasSubstr("not the sum"), HasSubstr("when it reads tiny numbers")));
}

// What a kernel compresses may be clipped, and what does not fit into its types is nobody's fault.
TEST(KernelTrial, LetsUnusualNumbersBeTooLarge) {
  const convoy_host_kernel clips = [](const convoy_region* reads, std::uint64_t n,
                                      const convoy_region* writes, std::uint64_t) {
    return each(reads, n, writes, [](float a, float) { return std::clamp(a, -64.f, 64.f); });
  };
  EXPECT_EQ(trial_of(clips, {.effect = CallEffect::kCompresses}), "");
  const convoy_host_kernel overflows = [](const convoy_region* reads, std::uint64_t n,
                                          const convoy_region* writes, std::uint64_t) {
    return each(reads, n, writes, [](float a, float) { return a * 1e38f / 1e38f; });
  };
  EXPECT_EQ(trial_of(overflows, {.effect = CallEffect::kSums}), "");
  const convoy_host_kernel refuses = [](const convoy_region* reads, std::uint64_t n,
                                        const convoy_region* writes,
                                        std::uint64_t) -> std::int32_t {
    for (std::uint64_t i = 0; i < reads[0].count; ++i)
      if (std::fabs(floats(reads, 0)[i]) > 65504) return 1;
    return each(reads, n, writes, [](float a, float) { return a; });
  };
  EXPECT_EQ(trial_of(refuses, {.effect = CallEffect::kSums}), "");
}

TEST(KernelTrial, FindsWhatALaterStepShows) {
  static const convoy_kernel_function kDecays = [](const convoy_kernel_call* call) -> std::int32_t {
    for (std::uint64_t i = 0; i < call->writes[0].count; ++i)
      static_cast<float*>(call->writes[0].data)[i] =
          static_cast<float*>(call->reads[0].data)[i] * (call->step < 1000 ? 1.f : 0.9f);
    return 0;
  };
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  const plan::Plan plan = plan_of(cluster, arena, {.effect = CallEffect::kSums});
  convoy_kernel kernel{};
  kernel.run = kDecays;
  const auto trial = [&](const runtime::TrialTime& time) {
    return runtime::try_kernel(plan::HostKernel(kernel), plan, call_of(plan), time).problem;
  };
  EXPECT_THAT(trial({}), AllOf(HasSubstr("not the sum"), HasSubstr("in step 9999")));
  EXPECT_EQ(trial({.further_calls = 0}), "");
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
  const plan::Cluster cluster = plan::make_single_host(1, true, "cpu");
  const plan::ArenaMap arena = small_arena(0);
  const plan::Plan usual = plan_of(cluster, arena, {.elements = std::uint64_t{4} << 20});
  EXPECT_EQ(runtime::too_large_to_try(call_of(usual)), "");
  const plan::Plan large = plan_of(cluster, arena, {.elements = std::uint64_t{1} << 30});
  EXPECT_EQ(runtime::too_large_to_try(call_of(large)), "8192 MiB of spans");
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

TEST(KernelTrial, EndsACallThatComputesForEver) {
  EXPECT_EQ(trial_of(
                [](const convoy_region* reads, std::uint64_t, const convoy_region* writes,
                   std::uint64_t) -> std::int32_t {
                  for (volatile float sum = 0;;) sum = sum + floats(reads, 0)[writes[0].count - 1];
                },
                {.time = {.each_call = 0.1}}),
            "does not return within 0.1 seconds");
}

// Signals that end a sleep early must not make it a call that returns, and a call that holds all
// signals back is ended, too.
TEST(KernelTrial, EndsACallThatSleeps) {
  const Called called{.time = {.each_call = 0.3}};
  const convoy_host_kernel once = [](const convoy_region*, std::uint64_t, const convoy_region*,
                                     std::uint64_t) -> std::int32_t {
    sleep(30);
    return 0;
  };
  const convoy_host_kernel again = [](const convoy_region*, std::uint64_t, const convoy_region*,
                                      std::uint64_t) -> std::int32_t {
    for (unsigned left = 30; left > 0;) left = sleep(left);
    return 0;
  };
  const convoy_host_kernel held_back = [](const convoy_region*, std::uint64_t, const convoy_region*,
                                          std::uint64_t) -> std::int32_t {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    sleep(30);
    return 0;
  };
  for (const convoy_host_kernel kernel : {once, again, held_back}) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(trial_of(kernel, called), "does not return within 0.3 seconds");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  }
}

TEST(KernelTrial, LetsACallSleepThatReturnsInTime) {
  const convoy_host_kernel naps = [](const convoy_region* reads, std::uint64_t n,
                                     const convoy_region* writes, std::uint64_t) {
    return usleep(10'000) != 0 ? 1 : each(reads, n, writes, [](float a, float) { return a; });
  };
  EXPECT_EQ(trial_of(naps, {.effect = CallEffect::kSums}), "");
}

// A kernel that takes its time is not one that hangs, nor one that was tried.
TEST(KernelTrial, BeginsNoCallWhenTheTimeIsOver) {
  const convoy_host_kernel slow = [](const convoy_region*, std::uint64_t, const convoy_region*,
                                     std::uint64_t) {
    usleep(120'000);
    return 0;
  };
  const runtime::KernelTrial trial = try_it(slow, {.time = {.each_call = 600, .all_calls = 0.01}});
  EXPECT_EQ(trial.problem, "");
  EXPECT_TRUE(trial.out_of_time);
  EXPECT_GE(trial.call_seconds, 0.02);
  EXPECT_FALSE(try_it(slow, {.time = {.each_call = 600, .all_calls = 600}}).out_of_time);
}

}  // namespace
}  // namespace convoy::testing
