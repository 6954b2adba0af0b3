// How fast devices share: strategies against devices that train alone, growth with the number of
// devices on the same cores, and the cost of many buckets. Everything that is compared takes turns
// in one process; the figures are medians over the rounds of ratios within a round, and
// `spread%` is the distance between the quartiles of the least steady of them, in percent of it.
// Beside Google Benchmark's flags: --rounds=N (default 5), --steps=N per turn (default 2) and
// --require_bars, which ends with 1 when a figure is below its bar.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/base/numbers/statistics.hpp"
#include "core/job/openmp_environment.hpp"
#include "tests/benchmarks/own_flags.hpp"
#include "tests/benchmarks/training_trial.hpp"

namespace {

using convoy::quantile;
using convoy::benchmarks::take_own_flags;
using convoy::benchmarks::TrainingTrial;
using convoy::benchmarks::TrialOptions;

struct Settings {
  int rounds = 5;
  int steps = 2;
  bool require_bars = false;
  bool below_bar = false;
};

// What takes turns. The ratio of a contender is the reference's time per image over its own.
struct Contender {
  std::string label;
  TrialOptions options;
  double bar = 0;  // of the ratio; 0: none
};

struct Comparison {
  std::string name;
  std::vector<Contender> contenders;  // the first is the reference
};

// Images per second of every contender, one list per contender, one entry per round.
std::vector<std::vector<double>> take_turns(const Comparison& it, const Settings& settings) {
  std::vector<std::unique_ptr<TrainingTrial>> trials;
  for (const Contender& contender : it.contenders) {
    trials.push_back(std::make_unique<TrainingTrial>(contender.options));
    trials.back()->run(1);
  }
  std::vector<std::vector<double>> speeds(trials.size());
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t turn = 0; turn < trials.size(); ++turn) {
      // Every other round backwards, so that a steady drift favours nobody.
      const std::size_t i = round % 2 == 0 ? turn : trials.size() - 1 - turn;
      const TrialOptions& options = it.contenders[i].options;
      speeds[i].push_back(options.batch * options.devices / trials[i]->run(settings.steps));
    }
  }
  return speeds;
}

void compare(benchmark::State& state, const Comparison& it, Settings& settings) {
  for (auto _ : state) {
    const std::vector<std::vector<double>> speeds = take_turns(it, settings);
    double spread = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      const Contender& contender = it.contenders[i];
      if (i == 0) {
        state.counters[contender.label + "_images/s"] = quantile(speeds[0], 0.5);
        continue;
      }
      std::vector<double> ratios;
      for (std::size_t round = 0; round < speeds[i].size(); ++round)
        ratios.push_back(speeds[i][round] / speeds[0][round]);
      const double median = quantile(ratios, 0.5);
      spread = std::max(spread, 100 * (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / median);
      state.counters[contender.label] = median;
      if (contender.bar > 0) state.counters[contender.label + "_bar"] = contender.bar;
      settings.below_bar = settings.below_bar || median < contender.bar;
    }
    state.counters["spread%"] = spread;
    const TrialOptions& reference = it.contenders.front().options;
    state.SetIterationTime(reference.batch * reference.devices / quantile(speeds[0], 0.5));
  }
}

// Two devices, half of the cores each.
Comparison sharing(const std::string& model, std::uint32_t batch, double bar) {
  constexpr double kServerBelow = 0.05;  // of parameter_server on the host, below replicated's bar
  TrialOptions alone{.model = model, .strategy = "independent", .devices = 2, .batch = batch};
  TrialOptions replicated = alone;
  replicated.strategy = "replicated";
  TrialOptions server = alone;
  server.strategy = "parameter_server";
  server.strategy_options = {{"local_parameter_device", "cpu"}};
  return {"Sharing/" + model + "/batch:" + std::to_string(batch),
          {{"independent", alone, 0},
           {"replicated", replicated, bar},
           {"parameter_server", server, bar - kServerBelow}}};
}

Comparison growth(const std::string& model, std::uint32_t batch) {
  constexpr double kBar = 0.85;  // at 8 devices, of the throughput at 2
  Comparison result{"Growth/" + model + "/batch:" + std::to_string(batch), {}};
  for (const std::uint32_t devices : {2u, 1u, 4u, 8u})
    result.contenders.push_back(
        {"devices:" + std::to_string(devices),
         {.model = model, .strategy = "replicated", .devices = devices, .batch = batch},
         devices == 8 ? kBar : 0});
  return result;
}

Comparison buckets(const std::string& model, std::uint32_t batch) {
  constexpr double kBar = 0.97;  // of the speed with one bucket
  Comparison result{"Buckets/" + model + "/batch:" + std::to_string(batch), {}};
  for (const std::uint64_t count : {1u, 4u, 16u, 161u}) {
    TrialOptions options{
        .model = model, .strategy = "replicated", .devices = 2, .batch = batch, .buckets = count};
    result.contenders.push_back({"buckets:" + std::to_string(count), options, kBar});
  }
  return result;
}

void add(const Comparison& it, Settings& settings) {
  benchmark::RegisterBenchmark(it.name.c_str(), compare, it, std::ref(settings))
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int count, char** arguments) {
  convoy::job::set_openmp_environment();
  Settings settings;
  take_own_flags(count, arguments, settings, [&](const std::string& text) {
    if (text != "--require_bars") return false;
    return settings.require_bars = true;
  });
  const std::vector<Comparison> comparisons = {
      sharing("lenet", 4, 0),    sharing("resnet50", 8, 0.93), sharing("alexnet", 16, 0.88),
      sharing("vgg16", 4, 0.88), growth("lenet", 2),           growth("resnet50", 4),
      buckets("lenet", 4),       buckets("resnet50", 4)};
  for (const Comparison& it : comparisons) add(it, settings);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return settings.require_bars && settings.below_bar ? 1 : 0;
}
