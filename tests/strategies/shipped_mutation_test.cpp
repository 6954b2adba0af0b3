// Defects planted in the plans of all shipped strategies, as written and as lowered: where the
// checker still sees a recurrence, or nothing lost, the interpreter must agree. CONVOY_MUTANTS says
// how many there are.
#include <gtest/gtest.h>

#include <iostream>

#include "core/base/error.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/plan/check/mutation_run.hpp"
#include "tests/plan/sample_models.hpp"
#include "tests/sanitized.hpp"
#include "tests/strategies/strategy_under_test.hpp"
#include "tests/strategies/variants.hpp"

namespace convoy::testing::shipped_mutation_test {
namespace {

std::vector<Variant> shipped() {
  std::vector<Variant> result;
  for (const char* name :
       {"independent", "parameter_server", "replicated", "collective_all_reduce",
        "distributed_replicated", "zero1", "local_sgd", "easgd", "gossip", "hierarchical", "byteps",
        "bytescheduler", "ssp", "powersgd", "topk", "onebit", "fp16_compression"})
    result.push_back({.strategy = name});
  result.push_back({.strategy = "parameter_server", .options = {{"staged_vars", "true"}}});
  result.push_back({.strategy = "replicated", .options = {{"variable_consistency", "relaxed"}}});
  result.push_back({.strategy = "replicated", .options = {{"all_reduce_spec", "xring"}}});
  result.push_back({.strategy = "local_sgd", .options = {{"outer_momentum", "0.5"}}});
  result.push_back({.strategy = "powersgd", .options = {{"rank", "1"}}});
  result.push_back({.strategy = "onebit", .options = {{"code", "8bit"}}});
  return result;
}

TEST(ShippedMutation, NoMutantIsCalledRightThatTheInterpreterContradicts) {
  const int wanted = wanted_mutants(kSanitized ? 100 : 300);
  const bool all = wanted > 1000;  // plans, else a few of them
  const int plans_of_each = all ? 8 : 2;
  const int each =
      wanted / (static_cast<int>(shipped().size()) * plans_of_each * kMutationKinds) + 1;
  const plan::ArenaMap arenas[] = {small_arena(48), ragged_arena()};
  MutationRun mutations;
  for (const Variant& variant : shipped())
    for (const std::uint32_t devices : {2u, 3u})
      for (std::size_t a = 0; a < std::size(arenas); ++a) {
        if (!all && a != devices - 2) continue;
        const plan::Cluster cluster = plan::make_single_host(devices, devices == 2, "cpu");
        StrategyUnderTest strategy(variant.strategy, variant.options);
        const plan::Plan plan = strategy.plan(cluster, arenas[a]);
        const plan::Plan lowered =
            plan::lower(plan, {.staging_elements = 32, .slice_elements = 16});
        if (all || devices == 2) mutations.run(variant.name(), plan, each);
        if (all || devices == 3) mutations.run(variant.name() + ", lowered", lowered, each);
      }
  std::cout << mutations.text();
  for (const std::string& it : mutations.contradictions()) ADD_FAILURE() << it;
  EXPECT_GT(mutations.total().mutants, wanted / 2);
  EXPECT_GT(mutations.total().named, mutations.total().mutants / 4);
}

}  // namespace
}  // namespace convoy::testing::shipped_mutation_test
