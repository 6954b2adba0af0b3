// Gradients that meet factors and matrices on their way: what is proved of them, and what is not.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "core/plan/check/check.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/check/mutation_oracle.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing::check_products_test {
namespace {

std::string text_of(const plan::check::CheckReport& report) {
  std::string text = report.verdict_text();
  for (const plan::check::Finding& finding : report.findings) text += "\n  " + finding.text;
  return text;
}

struct Checked {
  plan::check::CheckReport report;
  std::string text;
  std::string contradiction;  // by the interpreter
};

// On so many devices; what is checked must be the same once it is lowered.
Checked checked(const WritePlan& write, std::uint32_t replicas) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(replicas, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, write);
  const plan::check::CheckReport report = plan::check::check_plan(plan);
  const plan::Plan pieces = plan::lower(plan, {.staging_elements = 32, .slice_elements = 8});
  EXPECT_EQ(plan::check::check_plan(pieces).verdict_text(), report.verdict_text());
  return {report, text_of(report), contradiction(plan, report).value_or("")};
}

Span number(Planner& p, ReplicaId r) {
  return p.scratch(p.replica_place(r), 1);
}

// The length of the parameters over that of their gradient.
Span trust_ratio(Planner& p, ReplicaId r) {
  const Span weights = number(p, r), gradient = number(p, r), ratio = number(p, r);
  p.dot(weights, p.parameters(r), p.parameters(r));
  p.dot(gradient, p.gradient(r), p.gradient(r));
  p.divide(ratio, weights, gradient, 1);
  p.square_root(ratio, ratio);
  return ratio;
}

using ForReplica = std::function<void(Planner&, ReplicaId)>;

// Gradients with something done to each before they are summed, and to the sums.
WritePlan with(const ForReplica& before, const ForReplica& after, ApplyOptions options = {}) {
  return [=](Planner& p) {
    p.compute();
    if (before)
      for (const auto r : p.replicas()) before(p, r);
    p.all_reduce(p.all_gradients(p.arena()));
    if (after)
      for (const auto r : p.replicas()) after(p, r);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r), options);
  };
}

void scale_by_trust(Planner& p, ReplicaId r) {
  p.multiply(p.gradient(r), p.gradient(r), trust_ratio(p, r));
}

TEST(CheckFactors, AFactorThatAllGradientsMeetIsApproximate) {
  for (const std::uint32_t replicas : {1u, 2u, 3u}) {
    const Checked it = checked(with({}, scale_by_trust), replicas);
    EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
    EXPECT_EQ(it.report.exact, plan::check::Verdict::kSynchronous) << it.text;
    EXPECT_EQ(it.report.factors, std::vector<std::string>{"multiply"});
    EXPECT_TRUE(it.report.kernels.empty());
  }
}

// The last piece of a lowered product may be a single element.
TEST(CheckFactors, AFactorOfOneElementIsOneOfAllHoweverManyTheyAre) {
  const auto write = [](Planner& p) {
    p.compute();
    for (const Range range : p.buckets()) {
      p.all_reduce(p.all_gradients(range));
      for (const auto r : p.replicas()) {
        const Span ratio = number(p, r), gradient = p.gradient(r)[range];
        p.dot(ratio, gradient, gradient);
        p.multiply(gradient, gradient, ratio);
        p.apply(p.parameters(r)[range], gradient);
      }
    }
  };
  const Checked it = checked(write, 2);
  EXPECT_EQ(it.report.exact, plan::check::Verdict::kSynchronous) << it.text;
}

// As in FedAdam (Reddi et al., 2021), with one element alone in a piece of its own.
TEST(CheckFactors, APieceOfOneElementIsDividedAsOthersAre) {
  const auto write = [](Planner& p) {
    const Range all = p.arena();
    for (int k = 0; k < 2; ++k) {
      p.compute();
      for (const auto r : p.replicas())
        p.apply(p.parameters(r), p.gradient(r), {.contributions = 1});
    }
    for (const Range piece : {Range{all.first, 1}, Range{all.first + 1, all.count - 1}}) {
      p.all_reduce(p.all_parameters(piece));
      for (const auto r : p.replicas()) {
        const PlaceId here = p.replica_place(r);
        const Span x = p.parameters(r)[piece];
        const Buffer point = p.persistent(here, piece.count),
                     second = p.persistent(here, piece.count);
        const Buffer move = p.scratch(here, piece.count), root = p.scratch(here, piece.count);
        p.prologue([&] { p.copy(point, x); });
        p.scale(x, x, 1.0 / p.replica_count());
        p.axpy(move, -1, point, x);
        p.multiply(root, move, move);
        p.scale(second, second, 0.99);
        p.axpy(second, 0.01, root, second);
        p.square_root(root, second);
        p.divide(move, move, root);
        p.add(point, point, move);
        p.copy(x, point);
      }
    }
  };
  const Checked it = checked(write, 2);
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
}

TEST(CheckFactors, AFactorThatThePlanWritesDownIsExact) {
  const auto by = [](double factor) {
    return [factor](Planner& p, ReplicaId r) {
      const Span constant = number(p, r);
      p.fill(constant, factor);
      p.divide(p.gradient(r), p.gradient(r), constant);
    };
  };
  EXPECT_EQ(checked(with(by(3), {}, {.contributions = 1}), 3).text, "synchronous");
  const Checked twice = checked(with(by(0.5), {}), 3);
  EXPECT_EQ(twice.report.verdict, plan::check::Verdict::kWrong) << twice.text;
  EXPECT_NE(twice.text.find("2 times"), std::string::npos) << twice.text;
}

struct Doubtful {
  std::string name;
  WritePlan write;
  std::string why;
  plan::check::Verdict verdict = plan::check::Verdict::kUnproved;
};

std::vector<Doubtful> doubtful_plans() {
  const auto squared = [](Planner& p, ReplicaId r) {
    p.multiply(p.gradient(r), p.gradient(r), p.gradient(r));
  };
  const auto root = [](Planner& p, ReplicaId r) { p.square_root(p.gradient(r), p.gradient(r)); };
  const auto first_only = [](Planner& p, ReplicaId r) {
    if (r.index() == 0) scale_by_trust(p, r);
  };
  const auto of_parameters = [](Planner& p, ReplicaId r) {
    p.multiply(p.parameters(r), p.parameters(r), trust_ratio(p, r));
  };
  const auto doubled = [](Planner& p, ReplicaId r) {
    scale_by_trust(p, r);
    p.add(p.gradient(r), p.gradient(r), p.gradient(r));
  };
  const auto left_out = [](Planner& p) {
    p.compute();
    const Span sum = p.scratch(p.replica_place(ReplicaId(0)), p.arena_elements());
    const Span ratio = trust_ratio(p, ReplicaId(0));
    p.multiply(sum, p.gradient(ReplicaId(0)), ratio);
    for (const auto r : p.replicas()) p.apply(p.parameters(r), sum);
  };
  return {
      {"squares", with(squared, {}), "multiplies or divides by depends on gradients"},
      {"roots", with(root, {}), "which is not linear"},
      {"own factors", with(scale_by_trust, {}), "are multiplied by different factors"},
      {"one factor", with(first_only, {}), "are multiplied by different factors"},
      {"factors of parameters", with({}, of_parameters), "parameters are made by multiply"},
      {"doubled", with({}, doubled), "counts 2 times beside that"},
      {"left out", left_out, "the gradient of replica 1 is missing", plan::check::Verdict::kWrong},
  };
}

// Every product doubles the ways on which gradients reach the sum. They must not be counted up.
TEST(CheckFactors, LongChainsOfThemAreJudgedToo) {
  constexpr int kProducts = 60;
  for (const bool squares : {true, false}) {
    const auto chain = [squares](Planner& p, ReplicaId r) {
      const Span product = p.scratch(p.replica_place(r), p.arena_elements());
      for (int i = 0; i < kProducts; ++i) {
        p.multiply(product, p.gradient(r), squares ? p.gradient(r) : p.parameters(r));
        p.add(p.gradient(r), product, p.gradient(r));
      }
    };
    const plan::ArenaMap arena = ragged_arena();
    const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
    const plan::check::CheckReport report =
        plan::check::check_plan(write_plan(cluster, arena, with(chain, {})));
    const std::string text = text_of(report);
    EXPECT_EQ(report.verdict, plan::check::Verdict::kUnproved) << text;
    const char* const why = squares ? "multiplies or divides by depends on gradients"
                                    : "are multiplied by different factors";
    EXPECT_NE(text.find(why), std::string::npos) << text;
  }
}

TEST(CheckFactors, WhatTheyDoToGradientsIsNotProvedButNamed) {
  for (const Doubtful& it : doubtful_plans()) {
    const Checked found = checked(it.write, 3);
    EXPECT_EQ(found.report.verdict, it.verdict) << it.name << ": " << found.text;
    EXPECT_NE(found.text.find(it.why), std::string::npos) << it.name << ": " << found.text;
    EXPECT_NE(found.text.find("operation"), std::string::npos) << it.name << ": " << found.text;
  }
}

// A kernel may make something else in every step, so what it adds in one it must not take off in
// the next.
TEST(CheckFactors, KernelsMakeSomethingElseInEveryStep) {
  const Checked it = checked(
      [](Planner& p) {
        std::vector<Span> sums;
        for (const auto r : p.replicas())
          sums.push_back(p.scratch(p.replica_place(r), p.arena_elements()));
        for (const double by : {1.0, -1.0}) {
          p.compute();
          for (const auto r : p.replicas()) {
            const PlaceId here = p.replica_place(r);
            const Span sum = sums[r.index()], made = p.scratch(here, p.arena_elements());
            const Span nothing = p.scratch(here, 1);
            p.fill(nothing, 0);
            if (by > 0) p.fill(sum, 0);
            p.add(sum, sum, p.gradient(r));
            p.call("any", here, {nothing}, {made});
            p.axpy(sum, by, made, sum);
          }
        }
        p.all_reduce(sums);
        for (const auto r : p.replicas())
          p.apply(p.parameters(r), sums[r.index()], {.contributions = 2 * p.replica_count()});
      },
      2);
  EXPECT_NE(it.report.verdict, plan::check::Verdict::kSynchronousEvery) << it.text;
}

// PowerSGD on all but the last element, and what can be got wrong.
struct Variation {
  std::uint64_t rank = 2;
  double residual = -1;        // times what was sent, is kept
  bool keeps_residual = true;  // from step to step
  bool turns = true;           // the directions of this step are the next one's
  bool common_columns = true;  // of all replicas, else of the first one
  bool adds_constant = false;  // something else than products makes the basis
  bool from_the_right = false;
};

std::uint64_t rows_of(const Variation& how) {
  return how.from_the_right ? 17 : 8;
}

// What it keeps from step to step, by replica.
struct LowRankMemory {
  std::vector<Span> residuals, directions;
};

LowRankMemory memory_for(Planner& p, const Variation& how) {
  LowRankMemory result;
  for (const auto r : p.replicas()) {
    const PlaceId here = p.replica_place(r);
    result.residuals.push_back(how.keeps_residual ? p.persistent(here, 136) : p.scratch(here, 136));
    result.directions.push_back(p.persistent(here, 136 / rows_of(how) * how.rank));
  }
  return result;
}

// The columns on which the gradients of all replicas are projected.
std::vector<Span> make_bases(Planner& p, const Variation& how, const LowRankMemory& memory) {
  const std::uint64_t rows = rows_of(how), rank = how.rank;
  std::vector<Span> bases;
  for (const auto r : p.replicas()) {
    const Span residual = memory.residuals[r.index()];
    bases.push_back(p.scratch(p.replica_place(r), rows * rank));
    if (how.keeps_residual)
      p.add(residual, part(p.gradient(r), 0, 136), residual);
    else
      p.copy(residual, part(p.gradient(r), 0, 136));
    p.matmul(bases.back(), residual, memory.directions[r.index()], rows, rank, 136 / rows,
             {.transposes_a = how.from_the_right});
  }
  if (how.common_columns)
    p.all_reduce(bases);
  else
    p.broadcast(bases, bases.front());
  const Buffer constant = p.persistent(p.replica_place(ReplicaId(0)), rows * rank);
  for (const Span& basis : bases) {
    if (how.adds_constant) p.add(basis, basis, constant);
    p.orthogonalise(basis, basis, rows, rank);
  }
  return bases;
}

void write_power_sgd(Planner& p, const Variation& how, const LowRankMemory& memory) {
  const std::uint64_t rows = rows_of(how), columns = 136 / rows, rank = how.rank;
  const Range range{0, 136}, rest{136, p.arena_elements() - 136};
  p.compute();
  const std::vector<Span> bases = make_bases(p, how, memory);
  std::vector<Span> found;
  // From the right the matrix is stored [columns, rows].
  const auto product = [&](Span to, std::size_t r) {
    if (how.from_the_right)
      p.matmul(to, found[r], bases[r], columns, rows, rank, {.transposes_b = true});
    else
      p.matmul(to, bases[r], found[r], rows, columns, rank, {.transposes_b = true});
  };
  for (const auto r : p.replicas()) {
    const Span residual = memory.residuals[r.index()], gradient = p.gradient(r)[range];
    found.push_back(how.turns ? memory.directions[r.index()]
                              : Span(p.scratch(p.replica_place(r), columns * rank)));
    p.matmul(found.back(), residual, bases[r.index()], columns, rank, rows,
             {.transposes_a = !how.from_the_right});
    product(gradient, r.index());
    p.axpy(residual, how.residual, gradient, residual);
  }
  p.all_reduce(found);
  p.all_reduce(p.all_gradients(rest));
  for (const auto r : p.replicas()) {
    product(p.gradient(r)[range], r.index());
    p.apply(p.parameters(r), p.gradient(r));
  }
}

WritePlan power_sgd(const Variation& how) {
  return [how](Planner& p) { write_power_sgd(p, how, memory_for(p, how)); };
}

TEST(CheckPowerSgd, NothingIsLostWithAResidualAndDirectionsThatTurn) {
  for (const std::uint32_t replicas : {1u, 2u, 3u, 4u})
    for (const bool from_the_right : {false, true})
      for (const std::uint64_t rank : {1u, 2u, 8u}) {
        const Checked it =
            checked(power_sgd({.rank = rank, .from_the_right = from_the_right}), replicas);
        EXPECT_EQ(it.text, "approximate (every gradient counts once in the end, nothing is lost)")
            << replicas << " replicas, rank " << rank << ", from the right " << from_the_right;
        EXPECT_TRUE(it.report.nothing_lost);
        EXPECT_EQ(it.contradiction, "");
      }
}

TEST(CheckPowerSgd, WithoutAResidualTheRestIsLost) {
  const Checked it = checked(power_sgd({.residual = 0, .keeps_residual = false}), 3);
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kApproximate) << it.text;
  EXPECT_FALSE(it.report.nothing_lost) << it.text;
}

TEST(CheckPowerSgd, WhatMayNeverGetOutIsNotProved) {
  const Checked fixed = checked(power_sgd({.turns = false}), 3);
  EXPECT_EQ(fixed.report.verdict, plan::check::Verdict::kUnproved) << fixed.text;
  EXPECT_NE(fixed.text.find("stays the same from step to step"), std::string::npos) << fixed.text;
  const Checked pulled = checked(power_sgd({.adds_constant = true}), 3);
  EXPECT_EQ(pulled.report.verdict, plan::check::Verdict::kUnproved) << pulled.text;
  const Checked of_one = checked(power_sgd({.common_columns = false}), 3);
  EXPECT_EQ(of_one.report.verdict, plan::check::Verdict::kUnproved) << of_one.text;
}

// PowerSGD of rank 1 on two matrices that are alike. The basis of the second one may be made of
// what is no product, as where a copy of another variable gets in.
WritePlan power_sgd_of_two(bool second_turns) {
  return [=](Planner& p) {
    constexpr MatrixShape kShape{4, 17};
    const Range rest{136, p.arena_elements() - 136};
    p.compute();
    write_low_rank(p, {0, 68}, kShape, 1);
    write_low_rank(p, {68, 68}, kShape, 1, [&](Span columns, ReplicaId r) {
      if (!second_turns) p.copy(part(columns, 0, 1), p.gradient(r)[{0, 1}]);
    });
    p.all_reduce(p.all_gradients(rest));
    for (const auto r : p.replicas()) p.apply(p.parameters(r)[rest], p.gradient(r)[rest]);
  };
}

TEST(CheckPowerSgd, EveryMatrixNeedsABasisThatTurns) {
  const Checked both = checked(power_sgd_of_two(true), 3);
  EXPECT_TRUE(both.report.nothing_lost) << both.text;
  EXPECT_EQ(both.contradiction, "");
  const Checked one = checked(power_sgd_of_two(false), 3);
  EXPECT_EQ(one.report.verdict, plan::check::Verdict::kUnproved) << one.text;
}

TEST(CheckPowerSgd, AResidualWithTheWrongSignIsWrong) {
  const Checked it = checked(power_sgd({.residual = 1}), 3);
  EXPECT_EQ(it.report.verdict, plan::check::Verdict::kWrong) << it.text;
}

// Gradient centralisation (Yong et al., 2020): the mean of every row, or column, is taken off.
struct Centring {
  double means = -1;  // so many times
  double ones = 1;    // instead of ones
  bool of_rows = true;
  bool before = false;               // by every replica, before gradients are summed
  bool keeps_means = false;          // and adds them to the next gradient
  std::uint64_t other_elements = 0;  // means are of elements so much further on
  std::uint32_t replicas = 99;       // that do it
};

void centre(Planner& p, ReplicaId r, const Centring& how) {
  constexpr std::uint64_t kRows = 6, kColumns = 4;
  if (r.index() >= how.replicas) return;
  const PlaceId place = p.replica_place(r);
  const std::uint64_t lines = how.of_rows ? kRows : kColumns, length = kRows * kColumns / lines;
  const Span matrix = p.gradient(r)[{16, kRows * kColumns}];
  const Span of = p.gradient(r)[{16 + how.other_elements, kRows * kColumns}];
  const Span ones = p.scratch(place, length), means = p.scratch(place, lines);
  const Span filled = p.scratch(place, kRows * kColumns);
  const Span kept = how.keeps_means ? p.persistent(place, kRows * kColumns) : filled;
  if (how.keeps_means) p.add(matrix, matrix, kept);
  p.fill(ones, how.ones);
  if (how.of_rows) {
    p.matmul(means, of, ones, kRows, 1, kColumns);
    p.scale(means, means, 1.0 / kColumns);
    p.matmul(filled, means, ones, kRows, kColumns, 1, {.transposes_b = true});
  } else {
    p.matmul(means, ones, of, 1, kColumns, kRows, {.transposes_a = true});
    p.scale(means, means, 1.0 / kRows);
    p.matmul(filled, ones, means, kRows, kColumns, 1);
  }
  if (how.keeps_means) p.copy(kept, matrix);
  p.axpy(matrix, how.means, filled, matrix);
  if (how.keeps_means) p.axpy(kept, -1, matrix, kept);
}

WritePlan centralised(const Centring& how) {
  const ForReplica each = [how](Planner& p, ReplicaId r) { centre(p, r, how); };
  return how.before ? with(each, {}) : with({}, each);
}

TEST(CheckCentralised, MeansOfRowsAndColumnsMayBeTakenOff) {
  for (const std::uint32_t replicas : {1u, 2u, 3u})
    for (const bool of_rows : {true, false})
      for (const bool before : {true, false}) {
        const Checked it = checked(centralised({.of_rows = of_rows, .before = before}), replicas);
        EXPECT_EQ(it.text,
                  "approximate (synchronous but for rounding, kernels or averages; what matmul "
                  "leaves out is lost)")
            << replicas << " replicas, of rows " << of_rows << ", before " << before;
        EXPECT_EQ(it.report.exact, plan::check::Verdict::kSynchronous);
      }
}

TEST(CheckCentralised, NothingElseThanTheMeansMayBe) {
  for (const Centring& how :
       {Centring{.means = 1}, Centring{.means = -2}, Centring{.means = -0.5}, Centring{.ones = 2},
        Centring{.ones = 0.5, .of_rows = false}, Centring{.other_elements = 4},
        Centring{.other_elements = 24}, Centring{.before = true, .replicas = 1},
        Centring{.replicas = 1}, Centring{.keeps_means = true},
        Centring{.before = true, .keeps_means = true}}) {
    const Checked it = checked(centralised(how), 3);
    EXPECT_TRUE(it.report.verdict == plan::check::Verdict::kUnproved ||
                it.report.verdict == plan::check::Verdict::kWrong)
        << it.text;
  }
}

// A momentum of the plan's own makes the state irregular.
WritePlan with_momentum(const Centring& how) {
  return [how](Planner& p) {
    p.compute();
    for (const auto r : p.replicas()) centre(p, r, how);
    p.all_reduce(p.all_gradients(p.arena()));
    for (const auto r : p.replicas()) {
      const Buffer velocity = p.persistent(p.replica_place(r), p.arena_elements());
      p.axpy(velocity, 0.5, velocity, p.gradient(r));
      p.apply(p.parameters(r), velocity);
    }
  };
}

TEST(CheckCentralised, AllReplicasLoseTheirMeansOrNone) {
  const Checked all = checked(with_momentum({}), 3);
  EXPECT_EQ(all.text,
            "approximate (every gradient counts 2 times in the end, all replicas alike, but what "
            "is rounded or compressed is lost)");
  const Checked one = checked(with_momentum({.replicas = 1}), 3);
  EXPECT_EQ(one.report.verdict, plan::check::Verdict::kUnproved) << one.text;
}

// A stage of power iterations that another one goes on with, and what is done in between.
plan::check::CheckReport report_of_stages(
    const Variation& how, const std::function<void(Planner&, const LowRankMemory&)>& between = {}) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  const plan::Plan plan = write_plan(cluster, arena, [&](Planner& p) {
    const LowRankMemory memory = memory_for(p, how);
    write_power_sgd(p, how, memory);
    for (const std::uint64_t step : {3u, 20u})
      p.from_step(step, [&] {
        if (between) p.prologue([&] { between(p, memory); });
        write_power_sgd(p, how, memory);
      });
  });
  plan::check::CheckReport report = plan::check::check_plan(plan);
  EXPECT_EQ(contradiction(plan, report).value_or(""), "");
  return report;
}

TEST(CheckPowerSgd, AStageMayGoOnWithDirectionsOfTheOneBefore) {
  for (const bool from_the_right : {false, true}) {
    const plan::check::CheckReport report = report_of_stages({.from_the_right = from_the_right});
    EXPECT_EQ(report.verdict, plan::check::Verdict::kApproximate) << text_of(report);
    EXPECT_TRUE(report.nothing_lost) << text_of(report);
  }
  const plan::check::CheckReport rest_lost =
      report_of_stages({.residual = 0, .keeps_residual = false});
  EXPECT_EQ(rest_lost.verdict, plan::check::Verdict::kApproximate) << text_of(rest_lost);
  const plan::check::CheckReport normal =
      report_of_stages({}, [](Planner& p, const LowRankMemory& memory) {
        for (const Span& directions : memory.directions)
          p.orthogonalise(directions, directions, 17, 2);
      });
  EXPECT_TRUE(normal.nothing_lost) << text_of(normal);
}

TEST(CheckPowerSgd, DirectionsThatDifferWhenAStageBeginsAreNotProved) {
  for (const double factor : {2.0, 0.0}) {
    const auto between = [factor](Planner& p, const LowRankMemory& memory) {
      p.scale(memory.directions[1], memory.directions[1], factor);
    };
    const plan::check::CheckReport report = report_of_stages({}, between);
    EXPECT_EQ(report.verdict, plan::check::Verdict::kUnproved) << text_of(report);
    EXPECT_NE(text_of(report).find("which is not the same for all replicas"), std::string::npos)
        << text_of(report);
  }
}

// They are no gradients.
TEST(CheckPowerSgd, DirectionsOfAnEarlierStageMustNotGetIntoParameters) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, true, "cpu");
  const plan::check::CheckReport report =
      plan::check::check_plan(write_plan(cluster, arena, [&](Planner& p) {
        const LowRankMemory memory = memory_for(p, {});
        write_power_sgd(p, {}, memory);
        p.from_step(3, [&] {
          p.compute();
          for (const auto r : p.replicas()) {
            const Span gradient = part(p.gradient(r), 0, 34);
            p.add(gradient, gradient, memory.directions[r.index()]);
          }
          p.all_reduce(p.all_gradients(p.arena()));
          for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
        });
      }));
  EXPECT_EQ(report.verdict, plan::check::Verdict::kUnproved) << text_of(report);
  EXPECT_NE(text_of(report).find("more than the bases of projections"), std::string::npos)
      << text_of(report);
}

}  // namespace
}  // namespace convoy::testing::check_products_test
