#include "core/plan/plan.hpp"

#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

std::uint64_t hash_of(const WritePlan& write) {
  const plan::ArenaMap arena = small_arena(0);
  return plan::plan_hash(write_plan(plan::make_single_host(2, true, "cpu"), arena, write));
}

// An author that mentions buffers as arguments leaves their order to the compiler.
TEST(PlanHash, DoesNotDependOnTheOrderInWhichBuffersAreAskedFor) {
  const auto copies = [](bool second_first, bool swapped) {
    return hash_of([=](Planner& p) {
      p.compute();
      Buffer a = p.scratch(PlaceId(0), second_first ? 8 : 4);
      Buffer b = p.scratch(PlaceId(0), second_first ? 4 : 8);
      if (second_first) std::swap(a, b);
      p.fill(a, swapped ? 2 : 1);
      p.fill(b, swapped ? 1 : 2);
    });
  };
  EXPECT_EQ(copies(false, false), copies(true, false));
  EXPECT_NE(copies(false, false), copies(false, true));
}

}  // namespace
}  // namespace convoy::testing
