// What a trial finds of kernels that do other things than their call says.
#include "core/runtime/kernel_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "core/plan/cluster.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

// How a kernel is called: with a scratch buffer, the sum of whose reads are the gradient and it.
struct Called {
  bool in_place = false;  // the buffer is read, too
  CallEffect effect = CallEffect::kUndeclared;
};

std::string trial_of(convoy_host_kernel function, const Called& called = {}) {
  const Cluster cluster = make_single_host(1, true, "cpu");
  const ArenaMap arena = small_arena(0);
  const Plan plan = write_plan(cluster, arena, [&](Planner& p) {
    const ReplicaId r(0);
    const PlaceId here = p.replica_place(r);
    p.compute();
    const Buffer buffer = p.scratch(here, p.arena_elements());
    p.name(buffer, "result");
    p.fill(buffer, 0);
    std::vector<Span> reads = {p.gradient(r)};
    if (called.in_place) reads.push_back(buffer);
    p.call("tried", here, reads, {buffer}, {.effect = called.effect});
    p.apply(p.parameters(r), buffer);
  });
  for (const Operation& operation : plan.body)
    if (operation.kind == OperationKind::kCall) return try_kernel(function, plan, operation);
  return "no call";
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

}  // namespace
}  // namespace convoy::testing
