#include "core/plan/schedule/lagged_reads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {
namespace {

// The operation before, and how many iterations ago.
using Wait = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Wait> sorted(std::vector<Wait> waits) {
  std::ranges::sort(waits);
  return waits;
}

std::vector<Wait> listed(const plan::DependencyLists& lists, std::uint32_t operation) {
  std::vector<Wait> waits;
  for (const plan::Dependency& it : lists[operation]) waits.push_back({it.before, it.distance});
  return waits;
}

// What the reader's share of every series says, one by one. Of those before it in the body, the
// iteration before is listed, too.
std::vector<Wait> written_out(const plan::SharedDependencies& shared, std::uint32_t operation) {
  std::vector<Wait> waits = listed(shared.lists, operation);
  for (const plan::LaggedRead& it : shared.lagged) {
    if (it.reader != operation) continue;
    const std::vector<std::uint32_t>& writers = shared.series[it.series];
    for (const std::uint32_t writer : writers) waits.push_back({writer, it.max_lag + 1});
    for (std::uint32_t i = 0; i < it.ahead; ++i) waits.push_back({writers[i], it.max_lag});
  }
  return waits;
}

// One replica after the other; the updates are cut elsewhere than the fetches.
WritePlan write_bounded(std::uint64_t max_lag, bool any_order) {
  return [=](Planner& p) {
    const Buffer master = p.master(p.host_place(ReplicaId(0)));
    const std::uint64_t half = p.arena_elements() / 2;
    for (const auto r : p.replicas()) {
      p.copy(p.parameters(r), master, {.relaxed = true, .max_lag = max_lag});
      p.compute_replica(r);
      for (const Range part : {Range{0, half}, Range{half, p.arena_elements() - half}})
        p.apply(master[part], p.gradient(r)[part], {.contributions = 1, .any_order = any_order});
    }
  };
}

class LaggedReads : public ::testing::Test {
 protected:
  const plan::Plan& plan(std::uint32_t replicas, const WritePlan& write) {
    cluster_ = plan::make_single_host(replicas, true, "cpu");
    plan_ = write_plan(cluster_, arena_, write);
    return plan_;
  }

  plan::ArenaMap arena_ = small_arena(0);
  plan::Cluster cluster_;
  plan::Plan plan_;
};

TEST_F(LaggedReads, AreTheSameWaitsAsTheListsOfAllPairs) {
  for (const std::uint32_t replicas : {1u, 2u, 5u})
    for (const std::uint64_t lag : {0, 1, 2, 3, 7})
      for (const bool any_order : {false, true}) {
        const plan::Plan& it = plan(replicas, write_bounded(lag, any_order));
        const plan::DependencyLists lists = plan::find_dependencies(it);
        const plan::SharedDependencies shared = plan::find_shared_dependencies(it);
        ASSERT_EQ(shared.lists.size(), lists.size());
        EXPECT_EQ(shared.lagged.empty(), lag < 2 || !any_order);
        for (std::uint32_t i = 0; i < lists.size(); ++i)
          EXPECT_EQ(sorted(written_out(shared, i)), sorted(listed(lists, i)))
              << "operation " << i << ", replicas " << replicas << ", lag " << lag;
      }
}

// Beside the waits of each worker for itself, which do not depend on the others' number.
TEST_F(LaggedReads, GrowWithTheWorkersAndNotWithTheirPairs) {
  const auto size = [&](std::uint32_t replicas) {
    const plan::SharedDependencies shared =
        plan::find_shared_dependencies(plan(replicas, write_bounded(3, true)));
    std::size_t items = shared.lagged.size();
    for (const auto& writers : shared.series) items += writers.size();
    for (std::uint32_t i = 0; i < shared.lists.size(); ++i) items += shared.lists[i].size();
    return items;
  };
  EXPECT_EQ(size(64), 16 * size(4));
}

}  // namespace
}  // namespace convoy::testing
