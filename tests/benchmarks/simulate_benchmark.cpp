// How long the stages from a strategy to a simulated step take, and how they grow.
#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/lower/lower.hpp"
#include "core/plugin/catalog.hpp"
#include "core/select/rank_candidates.hpp"
#include "core/simulate/predictor.hpp"
#include "core/simulate/simulate.hpp"
#include "tests/simulate/hand_machine.hpp"
#include "tests/simulate/workload.hpp"

namespace convoy {
namespace {

using select::Candidate;
using testing::HandMachine;
using testing::Workload;

struct Variant {
  std::string strategy;
  std::vector<std::string> options;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> kList = {{"parameter_server", {"--local_parameter_device=cpu"}},
                                             {"parameter_server", {"--local_parameter_device=gpu"}},
                                             {"replicated", {}},
                                             {"replicated", {"--local_parameter_device=cpu"}},
                                             {"replicated", {"--all_reduce_spec=nccl"}}};
  return kList;
}

constexpr double kBucketMegabytes[] = {1, 2, 4, 8, 16, 32, 64, 128};

std::uint64_t elements(double megabytes) {
  return static_cast<std::uint64_t>(megabytes * (1 << 20) / sizeof(float));
}

simulate::LayerTimes layers_of(const graph::Graph& graph) {
  simulate::SimulatedDevice device;
  device.flops_per_second = 10.6e12;
  device.memory_bytes_per_second = 732e9;
  return simulate::layer_times(graph, 64, device);
}

plan::Plan lowered_plan(Workload& subject, const plan::Cluster& cluster,
                        const plan::ArenaMap& arena) {
  return plan::lower(subject.plan(cluster, arena));
}

// Of the process so far.
double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// K80-like hosts on a 10 Gbit/s network.
testing::HandRates cluster_rates() {
  testing::HandRates rates;
  rates.device = 11e9;
  rates.root = 21e9;
  rates.network = 1.15e9;
  rates.host_memory = 60e9;
  return rates;
}

simulate::PredictorOptions foresight_options() {
  simulate::PredictorOptions options;
  options.batch = 64;
  return options;
}

// What auto compares: all of these with all bucket sizes.
std::vector<Candidate> forty_candidates() {
  std::vector<Candidate> candidates;
  for (const Variant& variant : variants())
    for (const double megabytes : kBucketMegabytes) {
      candidates.push_back({variant.strategy, {}, elements(megabytes)});
      for (const std::string& option : variant.options) {
        const std::size_t equals = option.find('=');
        candidates.back().options[option.substr(2, equals - 2)] = option.substr(equals + 1);
      }
    }
  return candidates;
}

// Planned, checked, lowered, fitted into memory and simulated for 8 GPUs; loading the plug-ins
// included.
void select_among_forty(benchmark::State& state, const char* model) {
  Workload any("replicated", {}, model);
  const plugin::Catalog catalog = plugin::Catalog::scan(std::vector<plugin::SearchEntry>{
      {CONVOY_BINARY_DIR "/lib/convoy/plugins", plugin::SearchOrigin::kFlag}});
  plugin::PluginHost host;
  HandMachine hand = testing::hand_machine(1, 8, true);
  const simulate::SimulatedCluster cluster{hand.cluster, hand.machine};
  const std::vector<simulate::LayerTimes> layers = {layers_of(any.graph())};
  const simulate::Predictor predictor(any.graph(), foresight_options());
  select::SelectionProblem problem;
  problem.cluster = hand.cluster;
  problem.arena = [&](std::uint64_t size) { return any.arena_map(size); };
  problem.strategy = [&](const Candidate& candidate) {
    const plugin::FoundPlugin found =
        catalog.find(plugin::PluginKind::kStrategy, candidate.strategy);
    return std::make_unique<plugin::StrategyPlugin>(host.load_strategy(found), candidate.options);
  };
  problem.predict = [&](const plan::Plan& lowered) {
    return predictor.predict(lowered, cluster, layers);
  };
  const std::vector<Candidate> candidates = forty_candidates();
  for (auto _ : state) {
    const select::Ranking ranking = select::rank_candidates(candidates, problem);
    state.counters["best_step_ms"] = ranking.best().step_seconds * 1e3;
    state.counters["predicted"] = static_cast<double>(std::count_if(
        ranking.candidates.begin(), ranking.candidates.end(),
        [](const auto& each) { return each.state == select::CandidateState::kPredicted; }));
  }
}

// The whole way from a strategy to a simulated step on hosts of 8 GPUs: plan, lower, fit into
// memory, simulate. The named strategies as a user would ask for them on several hosts.
const std::vector<Variant>& host_variants() {
  static const std::vector<Variant> kList = {
      {"replicated", {}},
      {"replicated", {"--all_reduce_spec=nccl/rechd"}},
      {"distributed_all_reduce", {"--all_reduce_spec=nccl/pscpu"}},
      {"distributed_replicated", {}},
      {"distributed_replicated", {"--local_parameter_device=cpu"}},
      {"parameter_server", {"--local_parameter_device=cpu"}},
      {"parameter_server", {"--local_parameter_device=gpu"}}};
  return kList;
}

void foresee_many(benchmark::State& state) {
  const Variant& it = host_variants()[static_cast<std::size_t>(state.range(0))];
  const auto devices = static_cast<std::uint32_t>(state.range(1));
  Workload subject(it.strategy, it.options, "resnet50");
  const HandMachine hand = testing::hand_machine(devices / 8, 8, true, cluster_rates());
  const simulate::SimulatedCluster cluster{hand.cluster, hand.machine};
  const std::vector<simulate::LayerTimes> layers = {layers_of(subject.graph())};
  const plan::ArenaMap arena = subject.arena_map(elements(16));
  const simulate::Predictor predictor(subject.graph(), foresight_options());
  for (auto _ : state) {
    const plan::Plan lowered = lowered_plan(subject, cluster.cluster, arena);
    const auto result = predictor.predict(lowered, cluster, layers);
    state.counters["operations"] = static_cast<double>(lowered.body.size());
    state.counters["step_ms"] = result.step->step_seconds * 1e3;
  }
  state.SetLabel(it.strategy + (it.options.empty() ? "" : " " + it.options.front()));
  state.counters["peak_MB"] = peak_megabytes();
}

void foresee_arguments(benchmark::internal::Benchmark* it) {
  it->ArgNames({"strategy", "devices"})->Unit(benchmark::kMillisecond);
  for (std::size_t variant = 0; variant < host_variants().size(); ++variant)
    for (const std::int64_t devices : {64, 256, 1024, 4096})
      it->Args({static_cast<std::int64_t>(variant), devices});
}

// One strategy on hosts of 8 GPUs: what planning and what simulating take.
void simulate_many(benchmark::State& state, std::size_t variant) {
  const auto devices = static_cast<std::uint32_t>(state.range(0));
  const Variant& it = variants()[variant];
  Workload subject(it.strategy, it.options, "resnet50");
  const HandMachine hand = testing::hand_machine(devices / 8, 8, true);
  const simulate::LayerTimes layers = layers_of(subject.graph());
  const plan::ArenaMap arena = subject.arena_map(elements(4));
  const plan::Plan plan = lowered_plan(subject, hand.cluster, arena);
  double step = 0;
  for (auto _ : state) {
    const auto result = simulate::simulate(plan, hand.machine, {layers}, {});
    step = result.step_seconds;
    state.counters["operations_per_second"] = benchmark::Counter(
        static_cast<double>(result.operations_run), benchmark::Counter::kIsIterationInvariantRate);
  }
  state.counters["step_ms"] = step * 1e3;
  state.counters["peak_MB"] = peak_megabytes();
}

void plan_many(benchmark::State& state, std::size_t variant) {
  const auto devices = static_cast<std::uint32_t>(state.range(0));
  const Variant& it = variants()[variant];
  Workload subject(it.strategy, it.options, "resnet50");
  const HandMachine hand = testing::hand_machine(devices / 8, 8, true);
  const plan::ArenaMap arena = subject.arena_map(elements(4));
  for (auto _ : state)
    benchmark::DoNotOptimize(lowered_plan(subject, hand.cluster, arena).body.size());
}

BENCHMARK_CAPTURE(select_among_forty, resnet50, "resnet50")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(select_among_forty, resnet152, "resnet152")->Unit(benchmark::kMillisecond);
BENCHMARK(foresee_many)->Apply(foresee_arguments);
BENCHMARK_CAPTURE(plan_many, collective, std::size_t{4})
    ->RangeMultiplier(4)
    ->Range(64, 4096)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_many, collective, std::size_t{4})
    ->RangeMultiplier(4)
    ->Range(64, 4096)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace convoy
