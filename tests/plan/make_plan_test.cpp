#include "core/plan/make_plan.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/error.hpp"
#include "core/plan/cluster.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

// What becomes of a strategy that is told how often it has been called before.
std::string outcome(const std::function<void(Planner&, int)>& write) {
  const plan::ArenaMap arena = small_arena(0);
  const plan::Cluster cluster = plan::make_single_host(2, true, "cpu");
  int calls = 0;
  const auto plan = [&](const convoy_planner& table) {
    convoy_host host{};
    Planner planner(&table, &host, nullptr);
    try {
      write(planner, calls++);
    } catch (const detail::Reported&) {  // the host has kept the reason
    }
  };
  try {
    plan::make_plan("fickle", cluster, arena, plan);
  } catch (const Error& error) {
    return error.what();
  }
  return calls == 2 ? "accepted" : "asked once";
}

#define EXPECT_OUTCOME(text, ...) \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, outcome(__VA_ARGS__))

TEST(MakePlan, TakesAPlanThatIsWrittenAlikeTwice) {
  EXPECT_OUTCOME("accepted", [](Planner& p, int) {
    p.prologue([&] { p.fill(p.persistent(PlaceId(0), 3), 1); });
    p.compute();
    p.sum(p.scratch(PlaceId(0), 4), p.all_gradients({0, 4}));
  });
}

TEST(MakePlan, RefusesWhatDiffersTheSecondTime) {
  constexpr const char* kTwo = "wrote two different plans";
  EXPECT_OUTCOME(kTwo, [](Planner& p, int call) {
    p.compute();
    p.fill(p.gradient(ReplicaId(0)), call);
  });
  EXPECT_OUTCOME(kTwo, [](Planner& p, int call) {
    p.compute();
    p.copy(p.gradient(ReplicaId(0))[{0, 4u + call}], p.gradient(ReplicaId(1))[{0, 4u + call}]);
  });
  EXPECT_OUTCOME(kTwo, [](Planner& p, int call) {
    p.compute();
    p.fill(p.scratch(PlaceId(0), 4u + call)[{0, 4}], 1);
  });
  EXPECT_OUTCOME(kTwo, [](Planner& p, int call) {
    const auto fill = [&] { p.fill(p.persistent(PlaceId(0), 3), 1); };
    if (call == 0) fill();
    if (call == 1) p.prologue(fill);
    p.compute();
  });
  EXPECT_OUTCOME("(4 and 5 operations)", [](Planner& p, int call) {
    p.compute();
    if (call == 1) p.fill(p.gradient(ReplicaId(0)), 0);
  });
}

TEST(MakePlan, SaysWhatIsWrongWheneverItIs) {
  EXPECT_OUTCOME("operation 4 (fill): buffer 77 does not exist", [](Planner& p, int) {
    p.compute();
    p.fill(Span{77, CONVOY_F32, 0, 1}, 0);
  });
  EXPECT_OUTCOME("replica 9 does not exist", [](Planner& p, int call) {
    p.compute();
    p.gradient(ReplicaId(call == 0 ? 0 : 9));
  });
}

}  // namespace
}  // namespace convoy::testing
