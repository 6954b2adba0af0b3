// What the checker says of plans that change during training.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/plan/check/check.hpp"
#include "core/plan/check/stages/stage_transition.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/stages.hpp"
#include "tests/plan/check/mutation_oracle.hpp"
#include "tests/plan/check/sample_stages.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::check_stages_test {
namespace {

struct Judged {
  plan::Plan plan;
  plan::check::CheckReport report;
  std::string text;  // verdict and first finding
};

// On three devices, and the same lowered.
Judged judge(const WritePlan& write) {
  static const plan::ArenaMap kArena = small_arena(40);
  static const plan::Cluster kCluster = plan::make_single_host(3, true, "cpu");
  Judged it{write_plan(kCluster, kArena, write), {}, {}};
  it.report = plan::check::check_plan(it.plan);
  it.text = it.report.verdict_text();
  if (!it.report.findings.empty()) it.text += "; " + it.report.findings.front().text;
  return it;
}

#define EXPECT_SAYS(words, it) EXPECT_PRED_FORMAT2(::testing::IsSubstring, words, (it).text)

TEST(CheckStages, SynchronousWaysMayFollowEachOther) {
  const Judged it = judge([](Planner& p) {
    write_together(p);
    p.from_step(2, [&] { write_copy_reduce(p); });
    p.from_step(20, [&] { write_together(p); });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kSynchronous) << it.text;
  EXPECT_EQ(it.text, "synchronous, from step 2 on synchronous, from step 20 on synchronous");
  EXPECT_TRUE(plan::check::satisfies(it.report, "synchronous"));
  EXPECT_EQ(it.report.stages.size(), 3u);
}

// The stage's prologue applies the gradients that wait; where the stage is looked at alone, none
// do.
TEST(CheckStages, GradientsThatWaitMayBeAppliedWhereTheNextStageBegins) {
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> waiting = residuals(p);
    const auto apply_waiting = [&] {
      for (const auto r : p.replicas()) p.apply(p.parameters(r), waiting[r.index()]);
    };
    p.compute();
    apply_waiting();
    p.all_reduce(p.all_gradients(p.arena()));
    for (const auto r : p.replicas()) p.copy(waiting[r.index()], p.gradient(r));
    p.from_step(10, [&] {
      p.prologue(apply_waiting);
      write_together(p);
    });
  });
  EXPECT_EQ(it.text,
            "stale by 1 (gradient lag 1, parameter lag 0), from step 10 on stale at the start only "
            "(its first updates have no gradients)");
  EXPECT_TRUE(plan::check::satisfies(it.report, "stale"));
}

TEST(CheckStages, LocalStepsMayFollowSynchronousOnes) {
  const Judged it = judge([](Planner& p) {
    write_together(p);
    p.from_step(2, [&] { train_alone(p, 2), average(p); });
    p.from_step(6, [&] { train_alone(p, 3), average(p); });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_TRUE(it.report.nothing_lost);
  EXPECT_EQ(contradiction(it.plan, it.report).value_or(""), "");
  EXPECT_TRUE(plan::check::satisfies(it.report, "approximate"));
  EXPECT_FALSE(plan::check::satisfies(it.report, "synchronous"));
}

TEST(CheckStages, AWarmUpMayBeWithoutCompression) {
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    write_together(p);
    p.from_step(3, [&] { compress(p, rest); });
    p.from_step(5, [&] { compress(p, rest); });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_TRUE(it.report.nothing_lost) << it.text;
}

TEST(CheckStages, ResidualsThatNobodyReadsAnyMoreAreLost) {
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    compress(p, rest);
    p.from_step(3, [&] { write_together(p); });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_FALSE(it.report.nothing_lost);
  EXPECT_SAYS("but what residuals hold when step 3 begins", it);
}

// What the prologue of the next stage does with the residuals of error feedback.
Judged judge_prologue(const std::function<void(Planner&, const std::vector<Buffer>&)>& write) {
  return judge([&write](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    compress(p, rest);
    p.from_step(3, [&] {
      p.prologue([&] { write(p, rest); });
      compress(p, rest);
    });
  });
}

TEST(CheckStages, ResidualsThatAPrologueClearsAreLost) {
  const Judged all = judge_prologue([](Planner& p, const std::vector<Buffer>& rest) {
    for (const Buffer& residual : rest) p.fill(residual, 0);
  });
  const Judged one =
      judge_prologue([](Planner& p, const std::vector<Buffer>& rest) { p.fill(rest.back(), 0); });
  const Judged part_of_one = judge_prologue(
      [](Planner& p, const std::vector<Buffer>& rest) { p.fill(part(rest.back(), 8, 4), 0); });
  for (const Judged* it : {&all, &one, &part_of_one}) {
    EXPECT_EQ(it->report.verdict, plan::check::Verdict::kApproximate) << it->text;
    EXPECT_FALSE(it->report.nothing_lost) << it->text;
    EXPECT_TRUE(it->report.stages.at(1).report.nothing_lost) << it->text;
    EXPECT_SAYS("but what residuals hold when step 3 begins", *it);
  }
}

TEST(CheckStages, ResidualsThatAPrologueHandsOnAreNotLost) {
  const Judged moved = judge_prologue([](Planner& p, const std::vector<Buffer>& rest) {
    p.add(rest[0], rest[0], rest[1]);
    p.fill(rest[1], 0);
  });
  const Judged applied = judge([](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    compress(p, rest);
    p.from_step(3, [&] {
      p.prologue([&] {
        std::vector<Span> all(rest.begin(), rest.end());
        p.all_reduce(all);
        for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), all[r.index()]);
        for (const Buffer& residual : rest) p.fill(residual, 0);
      });
      write_together(p);
    });
  });
  for (const Judged* it : {&moved, &applied}) EXPECT_TRUE(it->report.nothing_lost) << it->text;
}

// The residual of a stage with error feedback goes into every gradient of the next stage, which
// then multiplies it.
Judged judge_residual_times(double factor) {
  return judge([factor](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    compress(p, rest);
    p.from_step(3, [&] {
      p.compute();
      for (const ReplicaId r : p.replicas()) {
        p.add(p.gradient(r), p.gradient(r), rest[r.index()]);
        if (factor != 1) p.scale(rest[r.index()], rest[r.index()], factor);
      }
      p.all_reduce(p.all_gradients(p.arena()));
      for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
    });
  });
}

TEST(CheckStages, ResidualsOfAnEarlierStageGetOutOnce) {
  const Judged cleared = judge_residual_times(0);
  EXPECT_EQ(cleared.report.stages.at(1).report.verdict, plan::check::Verdict::kSynchronous)
      << cleared.text;
  EXPECT_TRUE(cleared.report.nothing_lost) << cleared.text;
  for (const double factor : {1.0, 2.0}) {
    const Judged again = judge_residual_times(factor);
    EXPECT_EQ(again.report.verdict, plan::check::Verdict::kWrong) << again.text;
    EXPECT_SAYS("adds that again in every step", again);
  }
  const Judged half = judge_residual_times(0.5);
  EXPECT_EQ(half.report.verdict, plan::check::Verdict::kWrong) << half.text;
  EXPECT_SAYS("gets into the parameters 2 times, not once", half);
}

// The next stage reads the residuals, but what it makes of them gets nowhere.
TEST(CheckStages, ResidualsThatAreReadForNothingAreLost) {
  const auto write = [](std::uint64_t for_nothing) {
    return [for_nothing](Planner& p) {
      const std::vector<Buffer> rest = residuals(p);
      compress(p, rest);
      p.from_step(3, [&p, &rest, for_nothing] {
        const std::uint64_t used = p.arena_elements() - for_nothing;
        p.compute();
        for (const ReplicaId r : p.replicas()) {
          const Span residual = rest[r.index()];
          if (for_nothing > 0) {
            const Span lost = part(residual, used, for_nothing);
            p.scale(lost, lost, 0.5);
          }
          if (used == 0) continue;
          const Span gradient = part(p.gradient(r), 0, used);
          p.add(gradient, gradient, part(residual, 0, used));
          p.fill(part(residual, 0, used), 0);
        }
        p.all_reduce(p.all_gradients(p.arena()));
        for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
      });
    };
  };
  EXPECT_TRUE(judge(write(0)).report.nothing_lost);
  for (const std::uint64_t lost : {small_arena(40).elements, std::uint64_t{8}}) {
    const Judged it = judge(write(lost));
    EXPECT_EQ(it.report.stages.at(1).report.verdict, plan::check::Verdict::kSynchronous) << it.text;
    EXPECT_FALSE(it.report.nothing_lost) << lost << it.text;
    EXPECT_SAYS("but what residuals hold when step 3 begins", it);
  }
}

TEST(CheckStages, PartsOfResidualsMayBeLost) {
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    compress(p, rest);
    p.from_step(3, [&] {
      p.compute();
      for (const ReplicaId r : p.replicas()) {
        p.axpy(p.gradient(r), 0.5, rest[r.index()], p.gradient(r));
        p.fill(rest[r.index()], 0);
      }
      p.all_reduce(p.all_gradients(p.arena()));
      for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
    });
  });
  EXPECT_EQ(it.report.stages.at(1).report.verdict, plan::check::Verdict::kSynchronous) << it.text;
  EXPECT_FALSE(it.report.nothing_lost) << it.text;
  EXPECT_SAYS("but what residuals hold when step 3 begins", it);
}

// Residuals of the first 40 elements only; what 16 bits cannot hold of the others is lost at once.
TEST(CheckStages, ResidualsThatAreLostAreToldWhateverElseIs) {
  const auto half_compressed = [](Planner& p, const std::vector<Buffer>& rest) {
    compress(p, rest);
    for (const Buffer& residual : rest) p.fill(part(residual, 40, p.arena_elements() - 40), 0);
  };
  const Judged it = judge([&](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    half_compressed(p, rest);
    p.from_step(3, [&] { write_together(p); });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_SAYS("compressed is lost); what residuals hold when step 3 begins is lost, from", it);
  const Judged kept = judge([&](Planner& p) {
    const std::vector<Buffer> rest = residuals(p);
    half_compressed(p, rest);
    p.from_step(3, [&] { half_compressed(p, rest); });
  });
  EXPECT_EQ(kept.text.find("residuals hold"), std::string::npos) << kept.text;
}

TEST(CheckStages, ResidualsThatAreLostAreToldOfAPlanThatIsNotProved) {
  const auto write = [](bool divides) {
    return [divides](Planner& p) {
      const std::vector<Buffer> rest = residuals(p);
      compress(p, rest);
      p.from_step(3, [&] {
        p.compute();
        p.all_reduce(p.all_gradients(p.arena()));
        for (const ReplicaId r : p.replicas())
          p.apply(p.parameters(r), p.gradient(r),
                  {.contributions = divides ? p.replica_count() : 1});
      });
    };
  };
  EXPECT_EQ(judge(write(true)).report.verdict, plan::check::Verdict::kApproximate);
  const Judged it = judge(write(false));
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.text;
  EXPECT_FALSE(it.report.stages.front().report.nothing_lost) << it.text;
  EXPECT_SAYS("what residuals hold when step 3 begins", it);
}

// One update for the gradients of several steps.
void accumulate(Planner& p, std::uint64_t steps) {
  std::vector<Span> sums;
  for (std::uint64_t step = 0; step < steps; ++step) {
    p.compute();
    for (const ReplicaId r : p.replicas()) {
      if (step == 0) {
        sums.push_back(p.scratch(p.replica_place(r), p.arena_elements()));
        p.copy(sums.back(), p.gradient(r));
      } else {
        p.add(sums[r.index()], sums[r.index()], p.gradient(r));
      }
    }
  }
  p.all_reduce(sums);
  for (const ReplicaId r : p.replicas())
    p.apply(p.parameters(r), sums[r.index()], {.contributions = steps * p.replica_count()});
}

TEST(CheckStages, MeansOverSeveralStepsMayBeFollowedByOthers) {
  const Judged it = judge([](Planner& p) {
    accumulate(p, 1);
    p.from_step(3, [&] { accumulate(p, 2); });
    p.from_step(63, [&] { accumulate(p, 4); });
    p.from_step(71, [&] { accumulate(p, 1); });
  });
  EXPECT_EQ(it.text,
            "synchronous, from step 3 on synchronous every 2 steps, from step 63 on synchronous "
            "every 4 steps, from step 71 on synchronous");
  EXPECT_TRUE(plan::check::satisfies(it.report, "accumulating")) << it.text;
}

TEST(CheckStages, UpdatesMayBeForDifferentNumbersOfSteps) {
  const auto in_turns = [](Planner& p) {
    for (const std::uint64_t steps : {1u, 3u, 2u}) accumulate(p, steps);
  };
  const Judged alone = judge(in_turns);
  EXPECT_EQ(alone.text, "synchronous every 1 to 3 steps");
  EXPECT_TRUE(plan::check::satisfies(alone.report, "accumulating"));
  EXPECT_FALSE(plan::check::satisfies(alone.report, "synchronous"));
  EXPECT_EQ(contradiction(alone.plan, alone.report).value_or(""), "");
  const Judged followed = judge([&](Planner& p) {
    in_turns(p);
    p.from_step(12, [&] { write_together(p); });
  });
  EXPECT_EQ(followed.text, "synchronous every 1 to 3 steps, from step 12 on synchronous");
}

// An update of so many of the last step's gradients, the steps before having been skipped or not.
TEST(CheckStages, UpdatesForDifferentNumbersOfStepsMustHaveAllOfThem) {
  const Judged divided = judge([](Planner& p) {
    accumulate(p, 1);
    std::vector<Span> sums = p.all_gradients(p.arena());
    p.compute(), p.compute();
    p.all_reduce(sums);
    for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), sums[r.index()]);
  });
  EXPECT_EQ(divided.report.verdict, plan::check::Verdict::kWrong) << divided.text;
  // What waits for the next update is late.
  const Judged late = judge([](Planner& p) {
    const std::vector<Buffer> waiting = residuals(p);
    accumulate(p, 1);
    p.compute();
    p.all_reduce(p.all_gradients(p.arena()));
    for (const ReplicaId r : p.replicas()) p.copy(waiting[r.index()], p.gradient(r));
    p.compute();
    p.all_reduce(p.all_gradients(p.arena()));
    for (const ReplicaId r : p.replicas()) {
      p.apply(p.parameters(r), waiting[r.index()]);
      p.apply(p.parameters(r), p.gradient(r));
    }
  });
  EXPECT_EQ(late.report.verdict, plan::check::Verdict::kStale) << late.text;
}

// The parameters move on by half of what they have moved since the start.
TEST(CheckStages, MeansOverSeveralStepsMustCountOnceWhenAStageEnds) {
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> first = residuals(p);
    p.prologue([&] {
      for (const ReplicaId r : p.replicas()) p.copy(first[r.index()], p.parameters(r));
    });
    accumulate(p, 2);
    p.from_step(4, [&] {
      p.prologue([&] {
        for (const ReplicaId r : p.replicas()) {
          p.axpy(first[r.index()], -1, first[r.index()], p.parameters(r));
          p.axpy(p.parameters(r), 0.5, first[r.index()], p.parameters(r));
        }
      });
      accumulate(p, 1);
    });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kUnproved) << it.text;
  EXPECT_SAYS("the parameters hold a gradient of replica 0 1.5 times so far, not once", it);
}

TEST(CheckStages, GradientsThatWaitWhenAStageEndsAreMissing) {
  const Judged it = judge([](Planner& p) {
    write_deferred(p);
    p.from_step(3, [&] { write_together(p); });
  });
  EXPECT_NE(it.report.verdict, plan::check::Verdict::kSynchronous);
  EXPECT_FALSE(plan::check::satisfies(it.report, "stale")) << it.text;
}

TEST(CheckStages, ReplicasMustMeetBeforeTheyAreTakenForOne) {
  const auto write = [](bool meet) {
    return [meet](Planner& p) {
      train_alone(p, 1);
      p.from_step(3, [&p, meet] {
        if (meet) p.prologue([&] { average(p); });
        write_together(p);
      });
    };
  };
  const Judged apart = judge(write(false));
  EXPECT_EQ(apart.report.verdict, plan::check::Verdict::kUnproved) << apart.text;
  EXPECT_SAYS("let the stage's prologue copy or average them", apart);
  const Judged met = judge(write(true));
  EXPECT_EQ(met.report.stages.at(0).report.verdict, plan::check::Verdict::kIndependent) << met.text;
  EXPECT_EQ(met.report.stages.at(1).report.verdict, plan::check::Verdict::kSynchronous) << met.text;
}

TEST(CheckStages, GradientsAndScratchDoNotGoOver) {
  const Judged it = judge([](Planner& p) {
    const Buffer sum = p.scratch(PlaceId(0), p.arena_elements());
    write_together(p);
    p.from_step(3, [&] {
      for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
      write_together(p);
      p.copy(sum, p.gradient(ReplicaId(0)));
    });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.text;
}

// A point that all move from, which the first stage does not keep: local_sgd with outer momentum.
TEST(CheckStages, CopiesOfTheParametersMustBeOfTheirDay) {
  const auto write = [](bool refreshed) {
    return [refreshed](Planner& p) {
      std::vector<Buffer> points = residuals(p);
      p.prologue([&] {
        for (const ReplicaId r : p.replicas()) p.copy(points[r.index()], p.parameters(r));
      });
      write_together(p);
      p.from_step(3, [&] {
        if (refreshed)
          p.prologue([&] {
            for (const ReplicaId r : p.replicas()) p.copy(points[r.index()], p.parameters(r));
          });
        train_alone(p, 2);
        average(p);
        for (const ReplicaId r : p.replicas()) {
          const Span point = points[r.index()];
          const Buffer moved = p.scratch(p.replica_place(r), p.arena_elements());
          p.axpy(moved, -1, p.parameters(r), point);
          p.axpy(point, -1, moved, point);
          p.copy(p.parameters(r), point);
        }
      });
    };
  };
  const Judged fresh = judge(write(true));
  EXPECT_EQ(fresh.report.verdict, plan::check::Verdict::kApproximate) << fresh.text;
  EXPECT_EQ(contradiction(fresh.plan, fresh.report).value_or(""), "");
  const Judged old = judge(write(false));
  EXPECT_EQ(old.report.verdict, plan::check::Verdict::kUnproved) << old.text;
}

TEST(CheckStages, OptimizerStateMustBeWhereItIsUsed) {
  const Judged it = judge([](Planner& p) {
    write_together(p);
    p.from_step(3, [&] {
      p.prologue([&] { p.copy(p.master(p.host_place(ReplicaId(0))), p.parameters(ReplicaId(0))); });
      write_parameter_server(p);
    });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kUnproved) << it.text;
  EXPECT_SAYS("the optimizer's state is not there", it);
}

TEST(CheckStages, AWrongStageMakesAWrongPlan) {
  const Judged it = judge([](Planner& p) {
    write_together(p);
    p.from_step(3, [&] {
      p.compute();
      p.apply(p.parameters(ReplicaId(0)), p.gradient(ReplicaId(0)));
    });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.text;
  EXPECT_SAYS("from step 3 on, ", it);
}

plan::Plan lowered(const plan::Plan& plan) {
  plan::Plan result = plan::lower(plan::stage_of(plan, 0));
  plan::append_stage(result, plan::first_step_of(plan, 1), plan::lower(plan::stage_of(plan, 1)));
  return result;
}

TEST(CheckStages, AreTheSameWhenLowered) {
  const Judged it = judge([](Planner& p) {
    write_together(p);
    p.from_step(4, [&] { train_alone(p, 2), average(p); });
  });
  EXPECT_EQ(plan::check::check_plan(lowered(it.plan)).verdict_text(), it.report.verdict_text());
}

// Lowering numbers the second stage from 0, though the first prologue comes before it.
TEST(CheckStages, AreTheSameWhenLoweredAfterAPrologue) {
  const Judged it = judge([](Planner& p) {
    const Buffer first = p.persistent(p.replica_place(ReplicaId(0)), p.arena_elements());
    p.prologue([&] { p.copy(first, p.parameters(ReplicaId(0))); });
    write_scattered(p);
    p.from_step(4, [&] { write_scattered(p); });
  });
  const plan::Plan both = lowered(it.plan);
  EXPECT_EQ(plan::check::check_plan(both).verdict_text(), it.report.verdict_text());
  const plan::Plan alone = plan::check::stage_alone(both, 1);
  std::uint32_t id = 0;
  for (const std::vector<plan::Operation>* section : plan::sections_of(alone))
    for (const plan::Operation& operation : *section) EXPECT_EQ(operation.id, id++);
}

// Momentum of the sum at every replica, with another weight and another way to apply it later.
Judged judge_momentum(double later,
                      const std::function<void(Planner&, const std::vector<Buffer>&)>& passage) {
  return judge([&](Planner& p) {
    const std::vector<Buffer> momenta = residuals(p);
    const auto step = [&](double keep) {
      p.compute();
      p.all_reduce(p.all_gradients(p.arena()));
      for (const auto r : p.replicas()) {
        const Buffer& momentum = momenta[r.index()];
        p.axpy(momentum, keep, momentum, p.gradient(r));
        p.apply(p.parameters(r), momentum);
      }
    };
    step(0.5);
    p.from_step(4, [&] {
      p.prologue([&] { passage(p, momenta); });
      step(later);
    });
    p.from_step(8, [&] { step(later); });
  });
}

void leave_momenta(Planner&, const std::vector<Buffer>&) {}

// What momentum holds when a stage begins comes into the parameters as it would have done.
TEST(CheckStages, MomentumMayGoOn) {
  const Judged it = judge_momentum(0.5, leave_momenta);
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_EQ(contradiction(it.plan, it.report).value_or(""), "");
}

// The last gradients before it count as those of the stage do, older ones as those of their own.
TEST(CheckStages, MomentumMayGoOnWithAnotherWeight) {
  for (const double later : {0.25, 0.75}) {
    const Judged it = judge_momentum(later, leave_momenta);
    EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
    EXPECT_SAYS("because the momentum goes on with another weight", it);
    EXPECT_EQ(contradiction(it.plan, it.report).value_or(""), "");
  }
  EXPECT_SAYS("those of the last steps before step 4 1.333 to 1.917 times",
              judge_momentum(0.25, leave_momenta));
}

// The gradients that only lead uphill are not missing where the next stage begins.
TEST(CheckStages, SharpnessAwareStepsMayBeFollowedByOthers) {
  const Judged it = judge([](Planner& p) {
    p.compute();
    for (const auto r : p.replicas()) {
      const Span length = p.scratch(p.replica_place(r), 1);
      const Span way = p.scratch(p.replica_place(r), p.arena_elements());
      p.dot(length, p.gradient(r), p.gradient(r));
      p.square_root(length, length);
      p.divide(way, p.gradient(r), length);
      p.axpy(p.parameters(r, SetId(1)), 0.125, way, p.parameters(r));
    }
    p.compute({.parameters_set = SetId(1)});
    p.all_reduce(p.all_gradients(p.arena()));
    for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
    p.from_step(8, [&] { write_together(p); });
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_SAYS("lead uphill; these are not applied), from step 8 on synchronous", it);
}

TEST(CheckStages, TheWayUphillMayBeAMultipleThatThePlanSays) {
  const auto judged = [](double way) {
    return judge([way](Planner& p) {
      p.compute();
      for (const auto r : p.replicas())
        p.axpy(p.parameters(r, SetId(1)), way, p.gradient(r), p.parameters(r));
      p.compute({.parameters_set = SetId(1)});
      p.all_reduce(p.all_gradients(p.arena()));
      for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
    });
  };
  const Judged uphill = judged(0.125);
  EXPECT_EQ(uphill.report.verdict, plan::check::Verdict::kApproximate) << uphill.text;
  EXPECT_SAYS("lead uphill; these are not applied", uphill);
  EXPECT_EQ(judged(-0.125).report.verdict, plan::check::Verdict::kWrong) << "downhill";
}

// The same counts at first sight, but not those of a momentum that both stages have.
TEST(CheckStages, AChangedMomentumMustBePassedOnWhole) {
  using Momenta = std::vector<Buffer>;
  const auto judged = [](const std::function<void(Planner&, const Momenta&)>& passage) {
    return judge_momentum(0.25, passage).report.verdict;
  };
  EXPECT_EQ(judged([](Planner& p, const Momenta& momenta) {
              for (const Buffer& it : momenta) p.fill(it, 0);
            }),
            plan::check::Verdict::kUnproved);
  EXPECT_EQ(judged([](Planner& p, const Momenta& momenta) {
              for (const Buffer& it : momenta) p.scale(it, it, 2);
            }),
            plan::check::Verdict::kUnproved);
  EXPECT_EQ(judged([](Planner& p, const Momenta& momenta) {
              for (const Buffer& it : momenta) p.scale(it, it, -1);
            }),
            plan::check::Verdict::kUnproved);
  EXPECT_EQ(
      judged([](Planner& p, const Momenta& momenta) { p.scale(momenta[0], momenta[0], 0.5); }),
      plan::check::Verdict::kUnproved);
  EXPECT_EQ(judged([](Planner& p, const Momenta& momenta) {
              for (const Buffer& it : momenta) p.scale(it[{0, 8}], it[{0, 8}], 0.5);
            }),
            plan::check::Verdict::kUnproved);
}

TEST(CheckStages, MomentumMustBePassedOnWhole) {
  const Judged cleared = judge_momentum(0.5, [](Planner& p, const std::vector<Buffer>& momenta) {
    for (const Buffer& it : momenta) p.fill(it, 0);
  });
  EXPECT_EQ(cleared.report.verdict, plan::check::Verdict::kUnproved) << cleared.text;
  const Judged of_one = judge_momentum(
      0.5, [](Planner& p, const std::vector<Buffer>& momenta) { p.fill(momenta.back(), 0); });
  EXPECT_EQ(of_one.report.verdict, plan::check::Verdict::kUnproved) << of_one.text;
  const Judged twice = judge_momentum(0.5, [](Planner& p, const std::vector<Buffer>& momenta) {
    for (const Buffer& it : momenta) p.add(it, it, it);
  });
  EXPECT_EQ(twice.report.verdict, plan::check::Verdict::kUnproved) << twice.text;
  const Judged shifted = judge_momentum(0.5, [](Planner& p, const std::vector<Buffer>& momenta) {
    for (const Buffer& it : momenta) p.copy(it[{0, 8}], it[{8, 8}]);
  });
  EXPECT_NE(shifted.report.verdict, plan::check::Verdict::kApproximate) << shifted.text;
}

// Gradients that wait a step, before the passage and after it.
TEST(CheckStages, GradientsMayWaitAcrossThePassage) {
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> waiting = residuals(p);
    const auto step = [&] {
      std::vector<Span> sums(waiting.begin(), waiting.end());
      p.all_reduce(sums);
      for (const auto r : p.replicas()) p.apply(p.parameters(r), waiting[r.index()]);
      p.compute();
      for (const auto r : p.replicas()) p.copy(waiting[r.index()], p.gradient(r));
    };
    step();
    p.from_step(3, step);
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kStale) << it.text;
}

// Local steps whose number changes a thousand times. In one stage the replicas may not meet.
Judged judge_a_thousand(int apart) {
  return judge([apart](Planner& p) {
    write_together(p);
    for (int stage = 1; stage < 1000; ++stage)
      p.from_step(12 * static_cast<std::uint64_t>(stage), [&] {
        train_alone(p, 1 + stage % 4);
        if (stage != apart) average(p);
      });
  });
}

// Where all memory holds one model again, the run need not keep what was before.
TEST(CheckStages, AThousandStagesAreWithinTheBudget) {
  const Judged it = judge_a_thousand(0);
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text.substr(0, 500);
  EXPECT_TRUE(it.report.nothing_lost);
}

TEST(CheckStages, OneOfAThousandMayBeWrong) {
  const Judged it = judge_a_thousand(700);
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kUnproved);
  ASSERT_FALSE(it.report.findings.empty());
  EXPECT_TRUE(it.report.findings.front().text.starts_with("from step 8412 on, where it begins"))
      << it.report.findings.front().text;
}

// Demon (Chen et al., 2019): the momentum's weight falls from stage to stage.
TEST(CheckStages, MomentumThatFallsInHundredsOfStagesIsNotWrong) {
  constexpr int kStages = 300;
  const Judged it = judge([](Planner& p) {
    const std::vector<Buffer> momenta = residuals(p);
    for (int stage = 0; stage < kStages; ++stage) {
      const double weight = 0.9 * (1 - static_cast<double>(stage) / kStages);
      const auto body = [&] {
        p.compute();
        p.all_reduce(p.all_gradients(p.arena()));
        for (const auto r : p.replicas()) {
          const Buffer& momentum = momenta[r.index()];
          p.scale(momentum, momentum, weight);
          p.axpy(momentum, 1 - weight, p.gradient(r), momentum);
          p.apply(p.parameters(r), momentum);
        }
      };
      if (stage == 0)
        body();
      else
        p.from_step(10 * static_cast<std::uint64_t>(stage), body);
    }
  });
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kUnproved) << it.text.substr(0, 500);
  ASSERT_FALSE(it.report.findings.empty());
  EXPECT_THAT(it.report.findings.front().text,
              ::testing::HasSubstr("as often in the end as others of its stage"));
}

// The copy is made where the second stage begins, which does not read it; the third one does.
TEST(CheckStages, AnOldCopyIsFoundTwoStagesLater) {
  const auto write = [](bool fresh) {
    return [fresh](Planner& p) {
      const std::vector<Buffer> before = residuals(p);
      const auto copy = [&] {
        for (const auto r : p.replicas()) p.copy(before[r.index()], p.parameters(r));
      };
      write_together(p);
      p.from_step(3, [&] {
        p.prologue(copy);
        write_together(p);
      });
      p.from_step(6, [&] {
        if (fresh) p.prologue(copy);
        write_together(p);
        for (const auto r : p.replicas()) {
          p.scale(p.parameters(r), p.parameters(r), 0.5);
          p.axpy(p.parameters(r), 0.5, before[r.index()], p.parameters(r));
          p.copy(before[r.index()], p.parameters(r));
        }
      });
    };
  };
  EXPECT_EQ(judge(write(true)).report.verdict, plan::check::Verdict::kApproximate)
      << judge(write(true)).text;
  const Judged old = judge(write(false));
  EXPECT_NE(old.report.verdict, plan::check::Verdict::kApproximate) << old.text;
}

}  // namespace
}  // namespace convoy::testing::check_stages_test
