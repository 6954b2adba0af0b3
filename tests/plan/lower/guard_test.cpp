#include "core/plan/lower/guard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "tests/plan/check/trajectories.hpp"
#include "tests/plan/lower/guarded_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/schedule/lane_simulator.hpp"

namespace convoy::testing {
namespace {

TEST(Guard, LeavesEveryPlanAsItIsWithoutOptions) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, false, "gpu");
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    EXPECT_EQ(plan::plan_hash(plan::lower(guarded(plan, {}))), plan::plan_hash(plan::lower(plan)))
        << sample.name;
    EXPECT_NE(plan::plan_hash(guarded(plan, {.loss_scale = {8, 0}})), plan::plan_hash(plan))
        << sample.name;
  }
}

// What forwards read when the mean gradient, weight decay included, is clipped to the limit, in
// double precision and without any plan.
ForwardReads clipped_reads(const plan::ArenaMap& arena, std::uint32_t replicas,
                           std::uint64_t steps) {
  const InterpreterOptions options = sample_options(arena, smooth_gradient);
  const plan::ElementRange decayed = options.decayed.front();
  std::vector<double> w(options.initial.begin(), options.initial.end());
  std::vector<double> velocity(w.size(), 0.0);
  ForwardReads reads;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::vector<float> read(w.begin(), w.end());
    reads.push_back(std::vector<std::vector<float>>(replicas, read));
    std::vector<double> g(w.size(), 0.0);
    std::vector<float> gradient(w.size());
    for (std::uint32_t r = 0; r < replicas; ++r) {
      smooth_gradient({r, step, 0, {0, arena.elements}, read, read}, gradient);
      for (std::size_t e = 0; e < g.size(); ++e) g[e] += gradient[e] / double{1.0 * replicas};
    }
    for (std::uint64_t e = decayed.first; e < decayed.first + decayed.count; ++e)
      g[e] += options.optimizer.weight_decay * w[e];
    double norm = 0;
    for (const double value : g) norm += value * value;
    norm = std::sqrt(norm);
    EXPECT_GT(norm, kLimit);
    for (std::size_t e = 0; e < g.size(); ++e) {
      velocity[e] = options.optimizer.momentum * velocity[e] + g[e] * kLimit / norm;
      w[e] -= options.learning_rate(step) *
              (kLimit / norm * g[e] + options.optimizer.momentum * velocity[e]);
    }
  }
  return reads;
}

TEST(Guard, ClipsByTheNormOfTheWholeGradientInEverySynchronousPlan) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u})
    for (const bool peer_access : {true, false})
      for (const plan::ArenaMap& arena : {small_arena(0), small_arena(16), ragged_arena()}) {
        const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
        const ForwardReads expected = clipped_reads(arena, replicas, 4);
        for (const SamplePlan& sample : sample_plans()) {
          if (!sample.synchronous) continue;
          const plan::Plan logical = guarded(write_plan(cluster, arena, sample.write), clipping());
          const std::string what =
              fmt::format("{}, {} replicas, peer access {}", sample.name, replicas, peer_access);
          EXPECT_EQ(difference(interpreted_reads(logical, 4), expected).value_or(""), "") << what;
          const plan::Plan lowered = plan::lower(logical, kSmallPieces);
          EXPECT_EQ(difference(interpreted_reads(lowered, 4), expected).value_or(""), "") << what;
        }
      }
}

// Every second variable has a master, as in Parallax; replicas update their own copies of the
// others.
void write_hybrid(Planner& p) {
  p.compute();
  const PlaceId here = p.replica_place(ReplicaId(0));
  for (std::uint32_t i = 0; i < p.variable_count(); ++i) {
    const Range range = p.variable(i).range;
    if (i % 2 == 1) {
      p.all_reduce(p.all_gradients(range));
      for (const auto r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
      continue;
    }
    const Span master = p.master(here)[range];
    std::vector<Span> arrived;
    for (const auto r : p.replicas()) {
      arrived.push_back(p.scratch(here, range.count));
      p.copy(arrived.back(), p.gradient(r)[range]);
    }
    const Buffer sum = p.scratch(here, range.count);
    p.sum(sum, arrived);
    p.apply(master, sum);
    for (const auto r : p.replicas()) p.copy(p.parameters(r)[range], master);
  }
}

TEST(Guard, ClipsByOneNormWhereSomeVariablesHaveAMasterAndOthersHaveNone) {
  const plan::ArenaMap arena = small_arena(0);
  for (const std::uint32_t replicas : {1u, 3u}) {
    const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
    const plan::Plan logical = guarded(write_plan(cluster, arena, write_hybrid), clipping());
    EXPECT_EQ(
        difference(interpreted_reads(logical, 4), clipped_reads(arena, replicas, 4)).value_or(""),
        "")
        << replicas;
  }
}

TEST(Guard, ALimitThatIsNeverReachedChangesNoBit) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, false, "gpu");
  for (const SamplePlan& sample : sample_plans()) {
    if (!sample.synchronous) continue;
    const plan::Plan plan = write_plan(cluster, arena, sample.write);
    plan::GuardOptions options;
    options.clip_norm = 1e6;
    options.loss_scale.scale = 4096;  // a power of two
    const plan::Plan same = guarded(plan, options);
    Interpreter a(plan, sample_options(arena, exact_gradient));
    Interpreter b(same, sample_options(arena, exact_gradient));
    a.run(4);
    b.run(4);
    for (std::uint32_t i = 0; i < plan.buffers.size(); ++i) {
      const std::uint32_t kind = plan.buffers[i].kind;
      if (kind != CONVOY_BUFFER_PARAMETERS && kind != CONVOY_BUFFER_MASTER) continue;
      EXPECT_TRUE(std::ranges::equal(a.values(i), b.values(i)))
          << sample.name << ", " << plan.buffer_name(i);
    }
  }
}

TEST(Guard, WaitsKeepTheMeaningInAnyOrder) {
  std::mt19937 random(3);
  for (const std::uint32_t replicas : {1u, 2u, 3u})
    for (const bool peer_access : {true, false}) {
      const plan::ArenaMap arena = small_arena(32);
      const plan::Cluster cluster = plan::make_single_host(replicas, peer_access, "cpu");
      for (const SamplePlan& sample : sample_plans()) {
        if (!sample.synchronous && sample.name != "independent") continue;
        const plan::Plan plan = plan::lower(
            guarded(write_plan(cluster, arena, sample.write), everything()), kSmallPieces);
        const plan::Schedule schedule = plan::make_schedule(plan);
        Interpreter reference(plan, sample_options(arena, exact_gradient));
        run_in_program_order(plan, 5, reference);
        for (int order = 0; order < 5; ++order) {
          Interpreter shuffled(plan, sample_options(arena, exact_gradient));
          const auto stuck = run_in_random_order(plan, schedule, 5, random, shuffled);
          ASSERT_EQ(stuck.value_or(""), "") << sample.name;
          ASSERT_EQ(different_memory(plan, reference, shuffled).value_or("none"), "none")
              << sample.name << ", " << replicas << " replicas, peer access " << peer_access;
        }
      }
    }
}

TEST(Guard, LeavesWhatAPlanIsProvedToCompute) {
  for (const bool peer_access : {true, false}) {
    const plan::ArenaMap arena = ragged_arena();
    const plan::Cluster cluster = plan::make_single_host(3, peer_access, "cpu");
    for (const SamplePlan& sample : sample_plans()) {
      const plan::Plan plan = write_plan(cluster, arena, sample.write);
      plan::GuardOptions options;
      if (sample.synchronous) options = everything();
      options.loss_scale.scale = 128;
      options.gradient_norms = true;
      const plan::Plan lowered = plan::lower(guarded(plan, options), kSmallPieces);
      EXPECT_EQ(plan::check::check_plan(lowered).verdict_text(),
                plan::check::check_plan(plan).verdict_text())
          << sample.name;
      for (const plan::Operation& operation : lowered.body)
        for (const auto* spans : {&operation.reads, &operation.writes})
          for (const plan::PlanSpan& span : *spans)
            EXPECT_TRUE(cluster.access[operation.place][lowered.buffers[span.buffer].place])
                << sample.name << ", operation " << operation.id;
    }
  }
}

// Hosts with one and with several devices, without and with a server of their own.
std::vector<plan::Cluster> several_hosts(bool peer_access) {
  return {plan::make_hosts({2, 1, peer_access, "cpu", {}}),
          plan::make_hosts({2, 2, peer_access, "gpu", {}}),
          plan::make_hosts({3, 1, peer_access, "cpu", {3}})};
}

TEST(Guard, OnSeveralHostsEachHasTheScaleAndTheNormInItsOwnMemory) {
  std::mt19937 random(5);
  for (const bool peer_access : {true, false})
    for (const plan::Cluster& cluster : several_hosts(peer_access)) {
      const plan::ArenaMap arena = ragged_arena();
      const ForwardReads expected = clipped_reads(arena, cluster.replicas(), 4);
      for (const SamplePlan& sample : sample_plans()) {
        if (!sample.synchronous) continue;
        const std::string what =
            fmt::format("{}, {} hosts, {} replicas, peer access {}", sample.name, cluster.hosts,
                        cluster.replicas(), peer_access);
        const plan::Plan plan = write_plan(cluster, arena, sample.write);
        const plan::Plan clipped = plan::lower(guarded(plan, clipping()), kSmallPieces);
        EXPECT_EQ(difference(interpreted_reads(clipped, 4), expected).value_or(""), "") << what;
        const plan::Plan all = plan::lower(guarded(plan, everything()), kSmallPieces);
        EXPECT_EQ(plan::check::check_plan(all).verdict_text(),
                  plan::check::check_plan(plan).verdict_text())
            << what;
        Interpreter reference(all, sample_options(arena, exact_gradient));
        run_in_program_order(all, 5, reference);
        Interpreter shuffled(all, sample_options(arena, exact_gradient));
        const auto stuck = run_in_random_order(all, plan::make_schedule(all), 5, random, shuffled);
        ASSERT_EQ(stuck.value_or(""), "") << what;
        ASSERT_EQ(different_memory(all, reference, shuffled).value_or("none"), "none") << what;
        for (const plan::Operation& operation : all.body) {
          if ((operation.flags & CONVOY_OP_LOSS_SCALED) == 0) continue;
          const std::uint32_t scale = all.buffers[plan::loss_scale_span(operation).buffer].place;
          EXPECT_EQ(cluster.places[scale].host, cluster.places[operation.place].host) << what;
        }
      }
    }
}

TEST(Guard, RefusesToClipWhereAStepHasNoNorm) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  const auto text = [&](const WritePlan& write) {
    return refusal(write_plan(cluster, arena, write), clipping());
  };
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "as an earlier update of the same step left it",
                      text(write_sequential));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "in a fixed order", text(write_asynchronous));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "no norm of the whole gradient", text([](Planner& p) {
                        p.compute();
                        p.apply(p.parameters(ReplicaId(0))[{0, 64}],
                                p.gradient(ReplicaId(0))[{0, 64}], {.contributions = 1});
                      }));
  for (const WritePlan& write :
       {WritePlan(write_staged), WritePlan(write_deferred), WritePlan(write_accumulating)})
    EXPECT_EQ(text(write), "accepted");
}

}  // namespace
}  // namespace convoy::testing
