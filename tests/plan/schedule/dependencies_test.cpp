#include "core/plan/schedule/dependencies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/sample_models.hpp"

namespace convoy::plan {

bool operator==(const Dependency& a, const Dependency& b) {
  return a.before == b.before && a.distance == b.distance;
}
void PrintTo(const Dependency& it, std::ostream* out) {
  *out << "{operation " << it.before << ", distance " << it.distance << "}";
}

}  // namespace convoy::plan

namespace convoy::testing {
namespace {

using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class Dependencies : public ::testing::Test {
 protected:
  std::vector<std::vector<plan::Dependency>> of(const WritePlan& write,
                                                std::uint32_t replicas = 1) {
    cluster_ = plan::make_single_host(replicas, true, "cpu");
    plan_ = write_plan(cluster_, arena_, write);
    const plan::DependencyLists found = plan::find_dependencies(plan_);
    std::vector<std::vector<plan::Dependency>> lists;
    for (std::size_t i = 0; i < found.size(); ++i)
      lists.emplace_back(found[i].begin(), found[i].end());
    return lists;
  }

  plan::ArenaMap arena_ = small_arena(0);
  plan::Cluster cluster_;
  plan::Plan plan_;
};

convoy_operation operation(std::uint32_t kind, std::uint32_t flags, std::uint64_t max_lag) {
  auto it = make_sized<convoy_operation>();
  it.kind = kind;
  it.flags = flags;
  it.max_lag = max_lag;
  it.place = CONVOY_NONE;
  it.contributions = kind == CONVOY_OP_APPLY ? 1 : 0;
  return it;
}

TEST_F(Dependencies, ReadersWaitForTheLastWriterAndItForReadersOfTheIterationBefore) {
  const auto found = of([](Planner& p) {
    const Buffer a = p.persistent(PlaceId(0), 10);
    const Buffer b = p.persistent(PlaceId(0), 10);
    p.compute();   // 0, 1
    p.fill(a, 1);  // 2
    p.copy(b, a);  // 3
  });
  EXPECT_THAT(found[2], UnorderedElementsAre(plan::Dependency{2, 1}, plan::Dependency{3, 1}));
  EXPECT_THAT(found[3], UnorderedElementsAre(plan::Dependency{2, 0}, plan::Dependency{3, 1}));
}

TEST_F(Dependencies, ReadersDoNotWaitForEachOther) {
  const auto found = of([](Planner& p) {
    const Buffer a = p.persistent(PlaceId(0), 10);
    p.compute();                              // 0, 1
    p.copy(p.persistent(PlaceId(0), 10), a);  // 2
    p.copy(p.persistent(PlaceId(0), 10), a);  // 3
  });
  EXPECT_THAT(found[3], UnorderedElementsAre(plan::Dependency{3, 1}));
}

TEST_F(Dependencies, SpansThatOnlyTouchDoNotOverlap) {
  const auto found = of([](Planner& p) {
    const Buffer a = p.persistent(PlaceId(0), 10);
    p.compute();                                     // 0, 1
    p.fill(a[{0, 4}], 1);                            // 2
    p.fill(a[{4, 6}], 2);                            // 3
    p.copy(p.persistent(PlaceId(0), 2), a[{3, 2}]);  // 4
    p.copy(p.persistent(PlaceId(0), 2), a[{5, 2}]);  // 5
  });
  EXPECT_THAT(found[3], Not(IsSupersetOf({plan::Dependency{2, 0}})));
  EXPECT_THAT(found[4], IsSupersetOf({plan::Dependency{2, 0}, plan::Dependency{3, 0}}));
  EXPECT_THAT(found[5], Not(IsSupersetOf({plan::Dependency{2, 0}})));
  EXPECT_THAT(found[5], IsSupersetOf({plan::Dependency{3, 0}}));
}

TEST_F(Dependencies, TheNextForwardWaitsForTheUpdateAndTheUpdateForTheGradient) {
  const auto found = of([](Planner& p) {
    p.compute();                                                    // 0 forward, 1 backward
    p.apply(p.parameters(ReplicaId(0)), p.gradient(ReplicaId(0)));  // 2
  });
  EXPECT_THAT(found[0], UnorderedElementsAre(plan::Dependency{1, 1}, plan::Dependency{2, 1}));
  EXPECT_THAT(found[1], IsSupersetOf({plan::Dependency{0, 0}, plan::Dependency{2, 1}}));
  EXPECT_THAT(found[2], IsSupersetOf({plan::Dependency{1, 0}, plan::Dependency{0, 0}}));
}

TEST_F(Dependencies, ReplicasDoNotWaitForEachOther) {
  const auto found = of([](Planner& p) { p.compute(); }, 2);
  EXPECT_THAT(found[2], UnorderedElementsAre(plan::Dependency{3, 1}));
  EXPECT_THAT(found[3], UnorderedElementsAre(plan::Dependency{2, 0}, plan::Dependency{3, 1}));
}

TEST_F(Dependencies, RelaxedReadsWithoutABoundWaitForNobodyAndNobodyForThem) {
  const auto found = of([](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    p.emit(operation(CONVOY_OP_COPY, CONVOY_OP_RELAXED_READS, CONVOY_UNBOUNDED), {master},
           {p.parameters(ReplicaId(0))});       // 0
    p.compute();                                // 1, 2
    p.apply(master, p.gradient(ReplicaId(0)));  // 3
  });
  EXPECT_THAT(found[0], Not(IsSupersetOf({plan::Dependency{3, 1}})));
  EXPECT_THAT(found[3], Not(IsSupersetOf({plan::Dependency{0, 0}})));
}

TEST_F(Dependencies, RelaxedReadsWithABoundWaitForOlderWriters) {
  const auto found = of([](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    p.emit(operation(CONVOY_OP_COPY, CONVOY_OP_RELAXED_READS, 2), {master},
           {p.parameters(ReplicaId(0))});       // 0
    p.compute();                                // 1, 2
    p.apply(master, p.gradient(ReplicaId(0)));  // 3
  });
  EXPECT_THAT(found[0], IsSupersetOf({plan::Dependency{3, 3}}));
  EXPECT_THAT(found[0], Not(IsSupersetOf({plan::Dependency{3, 1}})));
}

TEST_F(Dependencies, UpdatesInAnyOrderDoNotWaitForEachOtherButForReaders) {
  const auto found = of(
      [](Planner& p) {
        const Buffer master = p.master(p.host_place(ReplicaId(0)));
        for (const auto r : p.replicas()) p.copy(p.parameters(r), master);  // 0, 1
        p.compute();                                                        // 2 to 5
        for (const auto r : p.replicas())                                   // 6, 7
          p.emit(operation(CONVOY_OP_APPLY, CONVOY_OP_ANY_ORDER, 0), {p.gradient(r)}, {master});
      },
      2);
  EXPECT_THAT(found[7], Not(IsSupersetOf({plan::Dependency{6, 0}})));
  EXPECT_THAT(found[6], Not(IsSupersetOf({plan::Dependency{7, 1}})));
  EXPECT_THAT(found[6], IsSupersetOf({plan::Dependency{0, 0}, plan::Dependency{1, 0}}));
  EXPECT_THAT(found[7], IsSupersetOf({plan::Dependency{0, 0}, plan::Dependency{1, 0}}));
  EXPECT_THAT(found[0], IsSupersetOf({plan::Dependency{6, 1}, plan::Dependency{7, 1}}));
}

}  // namespace
}  // namespace convoy::testing
