// Predicted against measured steps of CPU devices. For every model: a calibration, and then every
// strategy on 1, 2 and 4 devices in short turns, all of them several times; beside every turn a
// fixed network on one device is measured, as before and after the calibration. Errors are given
// raw, and relative to that network's speed: without what the machine did between calibration and
// turn. Beside Google Benchmark's flags: --rounds=N (default 3), --steps=N per turn (default 2),
// --strategies=N, the first so many of them, --calibrations=FOLDER, where calibrations are written.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/numbers/statistics.hpp"
#include "core/calibrate/calibrate.hpp"
#include "core/calibrate/profile_file.hpp"
#include "core/job/openmp_environment.hpp"
#include "tests/benchmarks/own_flags.hpp"
#include "tests/benchmarks/prediction_case.hpp"

namespace {

using convoy::benchmarks::PredictedCase;
using convoy::benchmarks::PredictionCase;
using convoy::benchmarks::PredictionPlugins;
using convoy::benchmarks::PredictionReference;
using convoy::benchmarks::PredictionStrategy;
using convoy::benchmarks::PredictionTurn;
using convoy::benchmarks::take_own_flags;
using convoy::calibrate::MachineProfile;

struct Settings {
  int rounds = 3;
  int steps = 2;
  int strategies = 7;
  std::string calibrations;
};

struct Subject {
  std::string model;
  std::uint32_t batch = 1;
  bool quick = false;  // for a smoke test: a rough calibration, a turn of two strategies
};

// Relative errors of predictions.
struct Errors {
  std::vector<double> raw;
  std::vector<double> relative;  // with predictions scaled to the machine's speed of the moment
};

// Those that differ most come first.
std::vector<PredictionStrategy> strategies(int most) {
  std::vector<PredictionStrategy> result = {
      {"replicated", "replicated", {}},
      {"parameter_server, cpu", "parameter_server", {{"local_parameter_device", "cpu"}}},
      {"replicated, xring", "replicated", {{"all_reduce_spec", "xring"}}},
      {"parameter_server, gpu", "parameter_server", {{"local_parameter_device", "gpu"}}},
      {"replicated, pscpu", "replicated", {{"all_reduce_spec", "pscpu"}}},
      {"replicated, psgpu", "replicated", {{"all_reduce_spec", "psgpu"}}},
      {"replicated, collective", "replicated", {{"all_reduce_spec", "collective"}}},
  };
  result.resize(std::min(result.size(), static_cast<std::size_t>(std::max(most, 1))));
  return result;
}

double mean(const std::vector<double>& values, bool absolute) {
  double sum = 0;
  for (const double value : values) sum += absolute ? std::abs(value) : value;
  return sum / static_cast<double>(values.size());
}

double median_of(const PredictedCase& it, const auto& value) {
  std::vector<double> values;
  for (const PredictionTurn& turn : it.turns) values.push_back(value(turn));
  return convoy::median(std::move(values));
}

double measured(const PredictedCase& it) {
  return median_of(it, [](const PredictionTurn& turn) { return turn.step_seconds; });
}

// Of a step, in steps of the reference.
double measured_in_references(const PredictedCase& it) {
  return median_of(
      it, [](const PredictionTurn& turn) { return turn.step_seconds / turn.reference_seconds; });
}

struct Calibrated {
  MachineProfile profile;
  double seconds = 0;            // that it took
  double reference_seconds = 0;  // mean of before and after
};

Calibrated calibrated(PredictionPlugins& plugins, PredictionReference& reference,
                      const Subject& subject, const Settings& settings) {
  convoy::calibrate::CalibrationOptions options;
  options.quick = subject.quick;
  options.software = plugins.software();
  const double before = reference.seconds();
  const auto start = std::chrono::steady_clock::now();
  const auto spent = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Calibrated result;
  result.profile = convoy::calibrate::calibrate(
      plugins.device(), plugins.sharing_nothing(), convoy::calibrate::read_processor_facts(),
      options,
      [&spent](const std::string& text) { fmt::print(stderr, "{:6.2f} s: {}\n", spent(), text); });
  result.seconds = spent();
  result.reference_seconds = (before + reference.seconds()) / 2;
  if (!settings.calibrations.empty())
    std::ofstream(settings.calibrations + "/" + subject.model + ".json")
        << convoy::calibrate::profile_text(result.profile);
  return result;
}

void print(const Subject& subject, std::uint32_t devices, const PredictedCase& it,
           double calibrated_reference, Errors& errors) {
  const double raw = it.predicted_seconds / measured(it) - 1;
  const double relative =
      it.predicted_seconds / (measured_in_references(it) * calibrated_reference) - 1;
  std::string turns;
  for (const PredictionTurn& turn : it.turns)
    turns += fmt::format(" {:.0f}/{:.1f}", 1e3 * turn.step_seconds, 1e3 * turn.reference_seconds);
  fmt::print("| {} | {} | {} | {:.1f} | {:.1f} | {:+.1f} % | {:+.1f} % |{}\n", subject.model,
             devices, it.strategy, 1e3 * it.predicted_seconds, 1e3 * measured(it), 100 * raw,
             100 * relative, turns);
  errors.raw.push_back(raw);
  errors.relative.push_back(relative);
}

// What is predicted to be fastest against what was.
void print_choice(const Subject& subject, std::uint32_t devices,
                  const std::vector<PredictedCase>& cases) {
  const auto chosen = std::ranges::min_element(cases, {}, &PredictedCase::predicted_seconds);
  const auto best = std::ranges::min_element(cases, {}, measured);
  fmt::print("{} on {} devices: chosen {}, {:.1f} % behind the fastest, {}\n", subject.model,
             devices, chosen->strategy, 100 * (measured(*chosen) / measured(*best) - 1),
             best->strategy);
}

void print_sum(const std::string& what, const Errors& errors) {
  fmt::print(
      "{}: mean absolute error {:.1f} %, relative to the reference {:.1f} %; mean error "
      "{:+.1f} %, relative {:+.1f} %\n",
      what, 100 * mean(errors.raw, true), 100 * mean(errors.relative, true),
      100 * mean(errors.raw, false), 100 * mean(errors.relative, false));
}

void predict(benchmark::State& state, const Subject& subject, const Settings& asked) {
  Settings settings = asked;
  if (subject.quick) {
    settings.rounds = settings.steps = 1;
    settings.strategies = 2;
  }
  for (auto _ : state) {
    PredictionPlugins plugins;
    PredictionReference reference(plugins);
    reference.seconds();
    const Calibrated machine = calibrated(plugins, reference, subject, settings);
    fmt::print("calibrated in {:.2f} s, others took {:.1f} % of the time, {} probes left out\n",
               machine.seconds, 100 * machine.profile.disturbance.value_or(0),
               machine.profile.left_out.size());
    fmt::print(
        "| model | devices | strategy | predicted ms | measured ms | error | relative | "
        "step/reference ms of every turn; reference {:.1f} ms when calibrated\n",
        1e3 * machine.reference_seconds);
    Errors all;
    for (const std::uint32_t devices : {1u, 2u, 4u}) {
      PredictionCase cases(plugins, subject.model, devices, subject.batch,
                           strategies(settings.strategies));
      cases.predict(machine.profile);
      for (int round = 0; round < settings.rounds; ++round) cases.round(reference, settings.steps);
      Errors errors;
      for (const PredictedCase& it : cases.cases())
        print(subject, devices, it, machine.reference_seconds, errors);
      print_choice(subject, devices, cases.cases());
      print_sum(fmt::format("{} on {} devices", subject.model, devices), errors);
      std::fflush(stdout);
      all.raw.insert(all.raw.end(), errors.raw.begin(), errors.raw.end());
      all.relative.insert(all.relative.end(), errors.relative.begin(), errors.relative.end());
    }
    print_sum(subject.model, all);
    state.counters["error%"] = 100 * mean(all.raw, true);
    state.counters["relative_error%"] = 100 * mean(all.relative, true);
    state.SetIterationTime(1);
  }
}

void read_flags(int& count, char** arguments, Settings& settings) {
  take_own_flags(count, arguments, settings, [&](const std::string& text) {
    constexpr std::string_view kFolder = "--calibrations=";
    if (!text.starts_with(kFolder))
      return std::sscanf(text.c_str(), "--strategies=%d", &settings.strategies) == 1;
    settings.calibrations = text.substr(kFolder.size());
    return true;
  });
}

}  // namespace

int main(int count, char** arguments) {
  convoy::job::set_openmp_environment();
  Settings settings;
  read_flags(count, arguments, settings);
  for (const Subject& subject : {Subject{"lenet", 4, true}, Subject{"alexnet", 16},
                                 Subject{"vgg16", 4}, Subject{"resnet50", 4}})
    benchmark::RegisterBenchmark(("Prediction/" + subject.model).c_str(), predict, subject,
                                 std::ref(settings))
        ->UseManualTime()
        ->Iterations(1);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
