// Plans whose workers read one memory more than once while others update it.
#include "core/plan/check/stale_reads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/check/check.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing::stale_reads_test {
namespace {

using ::testing::HasSubstr;

struct Judged {
  plan::check::CheckReport report;
  std::string text;
};

Judged judge(const WritePlan& write) {
  static const plan::ArenaMap kArena = small_arena(40);
  static const plan::Cluster kCluster = plan::make_single_host(3, true, "cpu");
  Judged it{plan::check::check_plan(write_plan(kCluster, kArena, write)), {}};
  it.text = it.report.verdict_text();
  for (const plan::check::Finding& finding : it.report.findings) it.text += "; " + finding.text;
  return it;
}

// An asynchronous parameter server. `change` gets the parameters that the gradient was computed
// for, those that the server has afterwards, and the gradient.
WritePlan served(const std::function<void(Planner&, Span, Span, Span)>& change,
                 bool relaxed = true) {
  return [=](Planner& p) {
    const PlaceId server = p.host_place(ReplicaId(0));
    const Buffer master = p.master(server);
    for (const auto r : p.replicas()) {
      p.copy(p.parameters(r), master, {.relaxed = relaxed});
      p.compute_replica(r);
      const Buffer now = p.scratch(p.replica_place(r), p.arena_elements());
      p.copy(now, master, {.relaxed = relaxed});
      change(p, p.parameters(r), now, p.gradient(r));
      const Buffer sent = p.scratch(server, p.arena_elements());
      p.copy(sent, p.gradient(r));
      p.apply(master, sent, {.contributions = 1, .any_order = relaxed});
    }
  };
}

TEST(StaleReads, MayBeUnused) {
  const Judged it = judge(served([](Planner&, Span, Span, Span) {}));
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kAsynchronous) << it.text;
}

TEST(StaleReads, MayBeOfEveryCompute) {
  const Judged it = judge([](Planner& p) {
    const PlaceId server = p.host_place(ReplicaId(0));
    const Buffer master = p.master(server);
    for (int i = 0; i < 2; ++i)
      for (const auto r : p.replicas()) {
        p.copy(p.parameters(r), master, {.relaxed = true});
        p.compute_replica(r);
        const Buffer sent = p.scratch(server, p.arena_elements());
        p.copy(sent, p.gradient(r));
        p.apply(master, sent, {.contributions = 1, .any_order = true});
      }
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kAsynchronous) << it.text;
}

// In program order the difference is zero, or the updates of the replicas before.
TEST(StaleReads, DoNotCancelEachOther) {
  const Judged it = judge(served([](Planner& p, Span then, Span now, Span gradient) {
    p.axpy(gradient, -1, then, gradient);
    p.add(gradient, gradient, now);
  }));
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kUnproved) << it.text;
  EXPECT_THAT(it.text, HasSubstr("its relaxed read may see other contents than that of operation"));
}

// Delay compensation (Zheng et al., 2017): g + c g g (now - then).
TEST(StaleReads, LeaveOpenWhatAProductWithTheirDifferenceIs) {
  const Judged it = judge(served([](Planner& p, Span then, Span now, Span gradient) {
    p.axpy(now, -1, then, now);
    p.multiply(now, gradient, now);
    p.multiply(now, gradient, now);
    p.axpy(gradient, 0.04, now, gradient);
  }));
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kUnproved) << it.text;
}

TEST(StaleReads, AreLeftAloneWhereThereIsOne) {
  const plan::ArenaMap arena = small_arena(40);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const plan::Plan none =
      write_plan(cluster, arena, served([](Planner&, Span, Span, Span) {}, false));
  EXPECT_FALSE(plan::check::with_stale_reads(none));
  const plan::Plan one = write_plan(cluster, arena, [](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    for (const auto r : p.replicas()) p.copy(p.parameters(r), master, {.relaxed = true});
    p.compute();
    for (const auto r : p.replicas()) p.apply(master, p.gradient(r), {.contributions = 1});
  });
  EXPECT_FALSE(plan::check::with_stale_reads(one));
}

}  // namespace
}  // namespace convoy::testing::stale_reads_test
