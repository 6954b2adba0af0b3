// What is said of a plan names the operation, the memory and the replica that are the cause.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/check/check.hpp"
#include "core/plan/check/report/explain.hpp"
#include "tests/plan/check/sample_stages.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing::check_messages_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Said {
  plan::check::CheckReport report;
  std::string verdict;  // and the findings
  std::string why;      // it is no stricter
};

Said said_of(const WritePlan& write, std::uint32_t replicas = 2) {
  static const plan::ArenaMap kArena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
  const plan::Plan plan = write_plan(cluster, kArena, write);
  Said it{plan::check::check_plan(plan), {}, {}};
  it.verdict = it.report.verdict_text();
  for (const plan::check::Finding& finding : it.report.findings) it.verdict += "\n" + finding.text;
  it.why = plan::check::explain_verdict(plan, it.report);
  return it;
}

std::vector<Buffer> kept(Planner& p, const std::string& name) {
  std::vector<Buffer> result = residuals(p);
  for (const Buffer& it : result) p.name(it, name);
  return result;
}

// Every replica updates a piece with the sum of two steps, and all gather the pieces.
WritePlan sharded_sums(std::uint64_t steps_of_mean, double momentum) {
  return [=](Planner& p) {
    const std::vector<Range> pieces = split(p.arena(), p.replica_count());
    std::vector<Span> sums, updated;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      sums.push_back(p.persistent(p.replica_place(p.replicas()[i]), pieces[i].count));
      updated.push_back(p.parameters(p.replicas()[i])[pieces[i]]);
    }
    add_steps_to_shards(p, 2, pieces, sums);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      p.apply(updated[i], sums[i], {.contributions = steps_of_mean * p.replica_count()});
    for (const Span& sum : sums) p.scale(sum, sum, momentum);
    p.all_gather(p.all_parameters(p.arena()), updated);
  };
}

TEST(CheckMessages, AnUpdateThatIsNotDividedEnoughIsWhyAPlanIsApproximate) {
  const Said it = said_of(sharded_sums(1, 0));
  EXPECT_EQ(it.verdict, "approximate (every gradient counts once in the end, nothing is lost)");
  EXPECT_EQ(it.why,
            "it is approximate because of apply (operation 14) on parameters(0)[0..69), replica "
            "0: 4 gradients are summed but divided by 2 contributions");
}

TEST(CheckMessages, GatheringUpdatedPartsIsNoReason) {
  const Said it = said_of(sharded_sums(2, 0.5));
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.verdict;
  EXPECT_THAT(it.why, HasSubstr("because of apply (operation"));
}

TEST(CheckMessages, ParametersThatAreFetchedTooEarlyAreWhyAPlanIsStale) {
  const Said it = said_of([](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    const Buffer sum = p.scratch(p.host_place(ReplicaId(0)), p.arena_elements());
    p.compute();
    p.sum(sum, p.all_gradients(p.arena()));
    for (const ReplicaId r : p.replicas()) p.copy(p.parameters(r), master);
    p.apply(master, sum);
  });
  EXPECT_EQ(it.verdict, "stale by 1 (gradient lag 0, parameter lag 1)");
  EXPECT_EQ(it.why,
            "it is stale because of copy (operation 5) on parameters(0)[0..137), replica 0");
}

// Two replicas share nothing, and each divides by their number all the same.
TEST(CheckMessages, ReplicasThatShareNothingAreToldSoWhateverCounts) {
  const Said it = said_of([](Planner& p) {
    const std::vector<Buffer> velocity = kept(p, "velocity");
    p.compute();
    for (const ReplicaId r : p.replicas()) {
      const Span mine = velocity[r.index()];
      p.axpy(mine, 0.5, mine, p.gradient(r));
      p.scale(mine, mine, 0.5);
      p.apply(p.parameters(r), mine, {.contributions = 1});
    }
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.verdict;
  EXPECT_THAT(it.verdict, HasSubstr("no replica's gradient reaches another replica, and at home "
                                    "each counts 0.666667 times in the end, not once"));
}

TEST(CheckMessages, GradientsOfSeveralStepsAreToldApart) {
  const Said it = said_of([](Planner& p) {
    const std::vector<Buffer> velocity = kept(p, "velocity");
    for (const double times : {1.0, 3.0}) {
      p.compute();
      p.all_reduce(p.all_gradients(p.arena()));
      for (const ReplicaId r : p.replicas()) {
        const Span mine = velocity[r.index()];
        p.axpy(mine, 0.5, mine, p.gradient(r));
        p.axpy(mine, times - 1, p.gradient(r), mine);
        p.apply(p.parameters(r), mine);
      }
    }
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.verdict;
  EXPECT_THAT(it.verdict, HasSubstr("the gradient of replica 0 in step 2 of 2 counts 6 times"));
  EXPECT_THAT(it.verdict, HasSubstr("that of replica 0 in step 1 of 2 in what"));
}

// What every replica keeps is that of the other one, twice.
TEST(CheckMessages, MemoryThatGrowsIsNamed) {
  const Said it = said_of([](Planner& p) {
    const std::vector<Buffer> rest = kept(p, "rest");
    std::vector<Buffer> before;
    p.compute();
    for (const ReplicaId r : p.replicas()) {
      before.push_back(p.scratch(p.replica_place(r), p.arena_elements()));
      p.copy(before.back(), rest[r.index()]);
    }
    for (const ReplicaId r : p.replicas()) {
      p.axpy(rest[r.index()], 1.5, before[1 - r.index()], p.gradient(r));
      p.apply(p.parameters(r), rest[r.index()]);
    }
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.verdict;
  EXPECT_THAT(it.verdict, HasSubstr("grows without bound"));
  EXPECT_THAT(it.verdict, HasSubstr("; rest (cpu:"));
}

// Means of parameters that are multiplied by `factor`.
std::string scaled_means(double factor) {
  return said_of([factor](Planner& p) {
           const std::vector<Buffer> velocity = kept(p, "velocity");
           train_alone(p, 1);
           average(p);
           for (const ReplicaId r : p.replicas()) {
             const Span mine = velocity[r.index()];
             p.axpy(mine, 0.5, mine, p.gradient(r));
             p.scale(p.parameters(r), p.parameters(r), factor);
             p.apply(p.parameters(r), mine, {.contributions = 1});
           }
         })
      .verdict;
}

TEST(CheckMessages, MemoryThatStartsAtZeroIsNoReasonForParametersToGrow) {
  EXPECT_THAT(scaled_means(0.5), HasSubstr("starts at zero: should the prologue copy parameters"));
  const std::string doubled = scaled_means(2);
  EXPECT_THAT(doubled, HasSubstr("would be multiplied by 2"));
  EXPECT_THAT(doubled, Not(HasSubstr("starts at zero")));
}

// Momentum of the plan's own, which the stage from step 4 on begins anew.
std::string momentum_followed_by(const std::function<void(Planner&, Span)>& prologue, bool reads) {
  return said_of([&](Planner& p) {
           const std::vector<Buffer> velocity = kept(p, "velocity");
           const auto step = [&](bool with_momentum) {
             p.compute();
             p.all_reduce(p.all_gradients(p.arena()));
             for (const ReplicaId r : p.replicas()) {
               const Span mine = velocity[r.index()];
               if (with_momentum) p.axpy(mine, 0.5, mine, p.gradient(r));
               p.apply(p.parameters(r), with_momentum ? mine : p.gradient(r));
             }
           };
           step(true);
           p.from_step(4, [&] {
             if (prologue)
               p.prologue([&] {
                 for (const Buffer& it : velocity) prologue(p, it);
               });
             step(reads);
           });
         })
      .verdict;
}

TEST(CheckMessages, MemoryThatTheNextStageForgetsIsNamed) {
  EXPECT_THAT(momentum_followed_by({}, false),
              HasSubstr("the parameters hold a gradient of replica 0 1.875 times so far, not 2 "
                        "times; it does not read velocity (cpu:0), which the stage before goes "
                        "on with from step to step"));
  const std::string cleared =
      momentum_followed_by([](Planner& p, Span velocity) { p.fill(velocity, 0); }, true);
  EXPECT_THAT(cleared, HasSubstr("; its prologue writes velocity (cpu:1), which the stage"));
  EXPECT_THAT(cleared, Not(HasSubstr("1.75 times")));  // one gradient of each replica is enough
}

}  // namespace
}  // namespace convoy::testing::check_messages_test
