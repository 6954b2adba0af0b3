#include "core/plan/check/report/unread_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> unread_in(const WritePlan& write) {
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  return plan::check::unread_memory(write_plan(cluster, small_arena(0), write));
}

Buffer named_residual(Planner& p) {
  const Buffer residual = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
  p.name(residual, "residual");
  return residual;
}

void step(Planner& p, Span sum) {
  p.compute();
  p.sum(sum, p.all_gradients(p.arena()));
}

void apply_all(Planner& p, Span sum) {
  for (const auto r : p.replicas()) p.apply(p.parameters(r), sum);
}

TEST(UnreadMemory, IsOverwrittenBeforeAnythingReadsIt) {
  EXPECT_THAT(unread_in([](Planner& p) {
                const Buffer residual = named_residual(p);
                step(p, residual);
                apply_all(p, residual);
              }),
              ElementsAre("residual (host:0)"));
}

TEST(UnreadMemory, IsNeverRead) {
  EXPECT_THAT(unread_in([](Planner& p) {
                const Buffer residual = named_residual(p);
                const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
                step(p, sum);
                p.copy(residual, sum);
                apply_all(p, sum);
              }),
              ElementsAre("residual (host:0)"));
}

TEST(UnreadMemory, IsFoundByWhatWritesItWhereItHasNoName) {
  EXPECT_THAT(unread_in([](Planner& p) {
                const Buffer kept = p.persistent(p.host_place(ReplicaId(0)), p.arena_elements());
                const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
                step(p, sum);
                p.copy(kept, sum);
                apply_all(p, sum);
              }),
              ElementsAre(::testing::ContainsRegex(
                  "persistent [0-9]+ \\(host:0\\) \\(written by copy, operation [0-9]+; ")));
}

TEST(UnreadMemory, IsNotWhatALaterStepReads) {
  EXPECT_THAT(unread_in([](Planner& p) {
                const Buffer residual = named_residual(p);
                const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
                step(p, sum);
                p.axpy(residual, 0.9, residual, sum);
                apply_all(p, residual);
              }),
              IsEmpty());
}

// Only a part of it may be read.
TEST(UnreadMemory, IsNotWhatALaterStepReadsInPart) {
  EXPECT_THAT(unread_in([](Planner& p) {
                const Buffer residual = named_residual(p);
                const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
                step(p, sum);
                p.axpy(sum[{0, 8}], 0.9, residual[{0, 8}], sum[{0, 8}]);
                p.copy(residual, sum);
                apply_all(p, sum);
              }),
              IsEmpty());
}

TEST(UnreadMemory, IsNotWhatALaterStageReads) {
  EXPECT_THAT(unread_in([](Planner& p) {
                const Buffer residual = named_residual(p);
                const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
                step(p, sum);
                p.copy(residual, sum);
                apply_all(p, sum);
                p.from_step(4, [&] {
                  const Buffer later = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
                  step(p, later);
                  p.axpy(residual, 0.9, residual, later);
                  apply_all(p, residual);
                });
              }),
              IsEmpty());
}

}  // namespace
}  // namespace convoy::testing
