#include "core/plan/schedule/local_schedule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "core/plan/schedule/spanning_collective.hpp"
#include "tests/plan/random_plans.hpp"
#include "tests/plan/sample_gradients.hpp"
#include "tests/plan/sample_plans.hpp"
#include "tests/plan/schedule/lane_simulator.hpp"
#include "tests/plan/schedule/process_simulator.hpp"
#include "tests/plan/small_pieces.hpp"

namespace convoy::testing::local_schedule_test {
namespace {

constexpr std::uint64_t kIterations = 4;

std::vector<plan::Schedule> schedules_of(const plan::Plan& lowered) {
  const plan::DependencyLists dependencies = plan::find_dependencies(lowered);
  const plan::Schedule whole = plan::order_lanes(lowered, dependencies);
  std::vector<plan::Schedule> processes;
  for (std::uint32_t host = 0; host < lowered.cluster->hosts; ++host)
    processes.push_back(plan::local_schedule(lowered, dependencies, whole, host));
  return processes;
}

// Two to five processes, with and without parameter servers, with one or two devices.
std::vector<plan::Cluster> clusters() {
  std::vector<plan::Cluster> result;
  for (const bool peer_access : {true, false})
    for (const plan::HostsDescription& hosts :
         {plan::HostsDescription{2, 1, peer_access, "cpu", {}},
          plan::HostsDescription{2, 2, peer_access, "cpu", {2}},
          plan::HostsDescription{3, 1, peer_access, "cpu", {0, 3}},
          plan::HostsDescription{3, 1, peer_access, "cpu", {3, 4}},
          plan::HostsDescription{5, 1, peer_access, "cpu", {}}}) {
      result.push_back(plan::make_hosts(hosts));
      result.back().device_collectives = false;
    }
  return result;
}

void expect_program_order_meaning(const plan::Plan& lowered, int orders, std::uint32_t seed,
                                  const std::string& what) {
  const std::vector<plan::Schedule> processes = schedules_of(lowered);
  Interpreter reference(lowered, sample_options(*lowered.arena, exact_gradient));
  run_in_program_order(lowered, kIterations, reference);
  std::mt19937 random(seed);
  for (int i = 0; i < orders; ++i) {
    Interpreter apart(lowered, sample_options(*lowered.arena, exact_gradient));
    const auto stuck = run_as_processes(lowered, processes, kIterations, random, apart);
    ASSERT_EQ(stuck.value_or(""), "") << what;
    ASSERT_EQ(different_memory(lowered, reference, apart).value_or("none"), "none")
        << what << ", order " << i;
  }
}

TEST(LocalSchedules, KeepTheMeaningOfPlansWithPriorities) {
  const plan::ArenaMap arena = small_arena(32);
  const std::vector<plan::Cluster> all = clusters();
  std::size_t overtaking = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const plan::Plan plan =
        plan::lower(with_random_priorities(
                        write_plan(all[seed % all.size()], arena, random_plan(seed, true)), seed),
                    kSmallPieces);
    for (const plan::Schedule& process : schedules_of(plan))
      for (const plan::Lane& lane : process.lanes)
        overtaking += lane.lane == plan::kNetworkLane && lane.priority != 0;
    expect_program_order_meaning(plan, 3, seed, fmt::format("random plan {}", seed));
  }
  EXPECT_GT(overtaking, 150u);
}

TEST(LocalSchedules, KeepTheMeaningOfRandomPlansWithRendezvousSends) {
  const plan::ArenaMap arena = small_arena(32);
  const std::vector<plan::Cluster> all = clusters();
  std::size_t pairs = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const plan::Plan plan = plan::lower(
        write_plan(all[seed % all.size()], arena, random_plan(seed, true)), kSmallPieces);
    pairs += static_cast<std::size_t>(std::ranges::count_if(
        plan.body, [](const plan::Operation& it) { return it.lane == plan::kNetworkLane; }));
    expect_program_order_meaning(plan, 3, seed, fmt::format("random plan {}", seed));
  }
  EXPECT_GT(pairs, 3000u);
}

// Devices of several processes with collectives of their own, two or three on each.
std::vector<plan::Cluster> clusters_with_collectives() {
  std::vector<plan::Cluster> result;
  for (const plan::HostsDescription& hosts : {plan::HostsDescription{2, 2, false, "gpu", {}},
                                              plan::HostsDescription{3, 1, false, "gpu", {}},
                                              plan::HostsDescription{2, 3, false, "gpu", {}},
                                              plan::HostsDescription{4, 2, false, "gpu", {}}}) {
    result.push_back(plan::make_hosts(hosts));
    result.back().device_collectives = true;
  }
  return result;
}

// The collectives over several hosts that a process submits, in its order.
std::vector<std::uint32_t> spanning_in(const plan::Plan& plan, const plan::Schedule& process) {
  std::vector<std::uint32_t> order;
  for (const std::uint32_t i : process.submission)
    if (plan::spans_hosts(plan, plan.body[i])) order.push_back(i);
  return order;
}

const plan::Lane& lane_of(const plan::Schedule& process, std::uint32_t operation) {
  return process.lanes[process.operations[operation].lane];
}

// Some collectives over all devices or a few, among operations that the hosts have for themselves.
WritePlan random_collectives(std::uint32_t seed) {
  return [seed](Planner& p) {
    std::mt19937 random(seed);
    p.compute();
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t first = random() % 60;
      const Range range{first, 1 + random() % (90 - first)};
      std::vector<Span> spans;
      for (const ReplicaId r : p.replicas())
        if (i % 2 == 0 || random() % 4 != 0) spans.push_back(p.gradient(r)[range]);
      if (spans.size() > 1) p.all_reduce(spans);
      const ReplicaId some(static_cast<std::uint32_t>(random() % p.replica_count()));
      p.copy(p.gradient(some)[{0, 8}], p.gradient(some)[{8 + random() % 40, 8}]);
    }
    for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
  };
}

// All tasks submit the collectives that they have in common in one order, and none waits for ever.
TEST(LocalSchedules, HaveCollectivesOfSeveralHostsInOneOrder) {
  const plan::ArenaMap arena = small_arena(32);
  const std::vector<plan::Cluster> all = clusters_with_collectives();
  std::size_t spanning = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const plan::Plan plan =
        plan::lower(write_plan(all[seed % all.size()], arena,
                               seed % 3 == 0 ? random_plan(seed, true) : random_collectives(seed)),
                    kSmallPieces);
    const std::vector<plan::Schedule> processes = schedules_of(plan);
    const std::vector<std::uint32_t> whole = spanning_in(plan, plan::make_schedule(plan));
    for (const plan::Schedule& process : processes) {
      std::vector<std::uint32_t> common;
      for (const std::uint32_t i : whole)
        if (process.operations[i].lane != CONVOY_NONE) common.push_back(i);
      EXPECT_EQ(spanning_in(plan, process), common) << "random plan " << seed;
      std::vector<std::uint32_t> in_one_lane;
      for (const std::uint32_t i : common.empty() ? common : lane_of(process, common[0]).operations)
        if (plan::spans_hosts(plan, plan.body[i])) in_one_lane.push_back(i);
      EXPECT_EQ(in_one_lane, common) << "random plan " << seed;
    }
    spanning += whole.size();
    expect_program_order_meaning(plan, 3, seed, fmt::format("random plan {}", seed));
  }
  EXPECT_GT(spanning, 600u);
}

// The simulator must be able to tell, here, too.
TEST(LocalSchedules, WithCollectivesInDifferentOrdersAreFoundOut) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = clusters_with_collectives().front();
  const plan::Plan plan =
      plan::lower(write_plan(cluster, arena, random_collectives(1)), kSmallPieces);
  std::vector<plan::Schedule> processes = schedules_of(plan);
  bool changed = false;
  for (plan::Lane& lane : processes[1].lanes) {
    const auto spans = [&](std::uint32_t i) { return plan::spans_hosts(plan, plan.body[i]); };
    if (std::ranges::count_if(lane.operations, spans) < 2) continue;
    std::ranges::reverse(lane.operations);
    changed = true;
  }
  ASSERT_TRUE(changed);
  std::mt19937 random(3);
  Interpreter interpreter(plan, sample_options(arena, exact_gradient));
  EXPECT_TRUE(run_as_processes(plan, processes, kIterations, random, interpreter).has_value());
}

TEST(LocalSchedules, HaveAPartOfACollectiveAtTheirFirstDevice) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = clusters_with_collectives().front();
  const plan::Plan plan = plan::lower(
      write_plan(
          cluster, arena,
          [](Planner& p) {
            p.compute();
            p.all_reduce({p.gradient(ReplicaId(1))[{0, 8}], p.gradient(ReplicaId(3))[{0, 8}]});
          }),
      kSmallPieces);
  const std::vector<plan::Schedule> processes = schedules_of(plan);
  for (std::uint32_t i = 0; i < plan.body.size(); ++i) {
    if (!plan::spans_hosts(plan, plan.body[i])) continue;
    for (const std::uint32_t host : {0u, 1u}) {
      const plan::Lane& lane = lane_of(processes[host], i);
      EXPECT_EQ(lane.place, 2 * host);
      EXPECT_EQ(lane.place, plan::place_on_host(plan, plan.body[i], host));
    }
  }
}

// A lane has several messages under way at once.
TEST(LocalSchedules, AMessageWaitsForAnEarlierOneThatWritesTheSameMemory) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_hosts({2, 1, true, "cpu", {}});
  const plan::Plan plan =
      plan::lower(write_plan(cluster, arena,
                             [](Planner& p) {
                               const Buffer to = p.persistent(p.replica_place(ReplicaId(1)), 90);
                               p.compute();
                               p.copy(to[{0, 40}], p.gradient(ReplicaId(0))[{0, 40}]);
                               p.copy(to[{50, 40}], p.gradient(ReplicaId(0))[{0, 40}]);
                               p.copy(to[{10, 45}], p.gradient(ReplicaId(0))[{50, 45}]);
                             }),
                  kSmallPieces);
  expect_program_order_meaning(plan, 50, 1, "overlapping copies");
  const plan::Schedule receiver = schedules_of(plan)[1];
  for (const plan::Lane& lane : receiver.lanes)
    if (lane.lane == plan::kNetworkLane) {
      ASSERT_EQ(lane.operations.size(), 3u);
      const auto& waits = receiver.operations[lane.operations[2]].waits;
      EXPECT_TRUE(std::ranges::any_of(waits, [&](const plan::LaneWait& wait) {
        return wait.lane == receiver.operations[lane.operations[2]].lane && wait.position == 1;
      }));
    }
}

TEST(LocalSchedules, KeepTheMeaningOfEverySample) {
  const plan::ArenaMap arena = small_arena(32);
  for (const plan::Cluster& cluster : clusters())
    for (const SamplePlan& sample : sample_plans()) {
      if (sample.name == "asynchronous") continue;
      const plan::Plan plan = plan::lower(write_plan(cluster, arena, sample.write), kSmallPieces);
      expect_program_order_meaning(plan, 2, cluster.hosts,
                                   fmt::format("{}, {} hosts", sample.name, cluster.hosts));
    }
}

TEST(LocalSchedules, HaveEveryOperationWhereItsSpansAreAndPairsAtBothEnds) {
  for (const plan::Cluster& cluster : clusters()) {
    const plan::ArenaMap arena = ragged_arena();
    const plan::Plan plan =
        plan::lower(write_plan(cluster, arena, random_plan(5, true)), kSmallPieces);
    const std::vector<plan::Schedule> processes = schedules_of(plan);
    for (std::uint32_t i = 0; i < plan.body.size(); ++i) {
      const plan::Operation& operation = plan.body[i];
      std::set<std::uint32_t> hosts;
      for (std::uint32_t host = 0; host < cluster.hosts; ++host)
        if (processes[host].operations[i].lane != CONVOY_NONE) hosts.insert(host);
      std::set<std::uint32_t> wanted{cluster.places[operation.place].host};
      if (operation.lane == plan::kNetworkLane)
        wanted.insert(cluster.places[plan.buffers[operation.reads[0].buffer].place].host);
      EXPECT_EQ(hosts, wanted) << "operation " << operation.id;
    }
    for (const plan::Schedule& process : processes)
      EXPECT_EQ(process.phase_end.back(), process.submission.size());
  }
}

TEST(LocalSchedules, OfOneHostIsTheWholeSchedule) {
  const plan::ArenaMap arena = ragged_arena();
  const plan::Cluster cluster = plan::make_single_host(3, false, "cpu");
  const plan::Plan plan =
      plan::lower(write_plan(cluster, arena, random_plan(5, true)), kSmallPieces);
  const plan::Schedule whole = plan::make_schedule(plan);
  const plan::Schedule local = schedules_of(plan).front();
  EXPECT_EQ(local.submission, whole.submission);
  EXPECT_EQ(local.phase_end, whole.phase_end);
  for (std::size_t i = 0; i < plan.body.size(); ++i) {
    EXPECT_EQ(local.operations[i].lane, whole.operations[i].lane);
    EXPECT_EQ(local.operations[i].position, whole.operations[i].position);
    EXPECT_EQ(local.operations[i].waits.size(), whole.operations[i].waits.size());
  }
}

// The simulator must be able to tell: a receive lane in another order than its send lane.
TEST(LocalSchedules, WithEndsInDifferentOrdersAreFoundOut) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_hosts({2, 1, true, "cpu", {}});
  const plan::Plan plan =
      plan::lower(write_plan(cluster, arena, write_parameter_server), kSmallPieces);
  std::vector<plan::Schedule> processes = schedules_of(plan);
  for (plan::Lane& lane : processes[1].lanes)
    if (lane.lane == plan::kNetworkLane)
      std::reverse(lane.operations.begin(), lane.operations.end());
  std::mt19937 random(3);
  Interpreter interpreter(plan, sample_options(arena, exact_gradient));
  EXPECT_TRUE(run_as_processes(plan, processes, kIterations, random, interpreter).has_value());
}

// And the waits of pairs: most of them are seen to be necessary.
TEST(LocalSchedules, HaveNoWaitTooMuchAtTheEndsOfPairs) {
  const plan::ArenaMap arena = small_arena(32);
  const plan::Cluster cluster = plan::make_hosts({2, 1, true, "cpu", {2}});
  const plan::Plan plan =
      plan::lower(write_plan(cluster, arena, write_parameter_server), kSmallPieces);
  const std::vector<plan::Schedule> processes = schedules_of(plan);
  Interpreter reference(plan, sample_options(arena, exact_gradient));
  run_in_program_order(plan, kIterations, reference);
  std::mt19937 random(7);
  std::size_t waits = 0;
  std::size_t needed = 0;
  for (std::size_t host = 0; host < processes.size(); ++host)
    for (std::size_t i = 0; i < plan.body.size(); ++i)
      for (std::size_t w = 0; w < processes[host].operations[i].waits.size(); ++w) {
        if (plan.body[i].lane != plan::kNetworkLane) continue;
        ++waits;
        std::vector<plan::Schedule> without = processes;
        auto& list = without[host].operations[i].waits;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(w));
        bool harmed = false;
        for (int tries = 0; tries < 20 && !harmed; ++tries) {
          Interpreter apart(plan, sample_options(arena, exact_gradient));
          run_as_processes(plan, without, kIterations, random, apart);
          harmed = different_memory(plan, reference, apart).has_value();
        }
        needed += harmed ? 1 : 0;
      }
  std::cout << fmt::format("{} of {} waits were seen to be necessary\n", needed, waits);
  EXPECT_GT(waits, 4u);
  EXPECT_GT(needed * 2, waits);
}

}  // namespace
}  // namespace convoy::testing::local_schedule_test
