// How long planning, lowering and checking take for several hosts with 8 devices each, and how that
// grows.
#include <benchmark/benchmark.h>

#include "core/plan/check/check.hpp"
#include "core/plan/host_cluster.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/simulate/workload.hpp"

namespace convoy {
namespace {

constexpr const char* kStrategies[] = {"distributed_replicated", "parameter_server", "replicated"};
constexpr std::uint32_t kDevicesPerHost = 8;

// One strategy with resnet50 and one cluster; plans refer to both.
struct Case {
  explicit Case(const benchmark::State& state)
      : subject(kStrategies[state.range(0)], {}, "resnet50"),
        cluster(plan::make_hosts(
            {static_cast<std::uint32_t>(state.range(1)), kDevicesPerHost, false, "device", {}})),
        arena(subject.arena_map(kBucketElements)) {}

  plan::Plan plan() { return subject.plan(cluster, arena); }

  static constexpr std::uint64_t kBucketElements = std::uint64_t{16} << 18;
  testing::Workload subject;
  plan::Cluster cluster;
  plan::ArenaMap arena;
};

void label(benchmark::State& state, const plan::Plan& plan) {
  state.SetLabel(kStrategies[state.range(0)]);
  state.counters["operations"] = static_cast<double>(plan.body.size());
}

void planning(benchmark::State& state) {
  Case it(state);
  for (auto unused : state) benchmark::DoNotOptimize(it.plan().body.size());
  label(state, it.plan());
}

void lowering(benchmark::State& state) {
  Case it(state);
  const plan::Plan plan = it.plan();
  for (auto unused : state) benchmark::DoNotOptimize(plan::lower(plan).body.size());
  label(state, plan::lower(plan));
}

void checking(benchmark::State& state) {
  Case it(state);
  const plan::Plan plan = it.plan();
  for (auto unused : state) benchmark::DoNotOptimize(plan::check::check_plan(plan).verdict);
  label(state, plan);
}

void arguments(benchmark::internal::Benchmark* it) {
  it->ArgNames({"strategy", "hosts"})->Unit(benchmark::kMillisecond);
  for (const std::int64_t strategy : {0, 1, 2})
    for (const std::int64_t hosts : {2, 8, 32, 128}) it->Args({strategy, hosts});
}

BENCHMARK(planning)->Apply(arguments);
BENCHMARK(lowering)->Apply(arguments);
BENCHMARK(checking)->Apply(arguments);

}  // namespace
}  // namespace convoy
