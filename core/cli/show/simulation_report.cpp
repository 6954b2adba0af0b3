#include "core/cli/show/simulation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "core/base/numbers/statistics.hpp"
#include "core/base/text/json.hpp"
#include "core/base/version.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/simulation/simulated_events.hpp"
#include "core/report/console.hpp"
#include "core/report/prediction_record.hpp"
#include "core/select/selection_json.hpp"
#include "core/simulate/run/critical_path.hpp"
#include "core/train/optimizer.hpp"
#include "core/train/run_length.hpp"

namespace convoy::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownLinks = 8;

double milliseconds(double seconds) {
  return 1e3 * seconds;
}

double efficiency(const job::SimulatedRun& count, double one_device_rate) {
  return count.prediction.images_per_second / (one_device_rate * count.prediction.devices);
}

Json memory_json(const job::SimulatedRun& count) {
  Json list = Json::array();
  for (std::size_t place = 0; place < count.prediction.memory.size(); ++place) {
    const simulate::MemoryNeed& need = count.prediction.memory[place];
    list.push_back({{"place", count.on->cluster.places[place].name},
                    {"needed_bytes", need.total()},
                    {"available_bytes", count.on->machine.places[place].memory_bytes}});
  }
  return list;
}

Json collectives_json(const std::vector<simulate::CollectiveUse>& uses) {
  Json collectives = Json::array();
  for (const simulate::CollectiveUse& use : uses) {
    const auto whole = static_cast<std::uint32_t>(use.count);
    collectives.push_back({{"way", use.way},
                           {"count", use.count == whole ? Json(whole) : Json(use.count)},
                           {"bytes", use.bytes},
                           {"seconds", use.seconds},
                           {"seconds_alone", use.seconds_alone}});
  }
  return collectives;
}

Json step_json(const job::SimulatedRun& count) {
  const simulate::SimulationResult& step = *count.prediction.step;
  const simulate::CriticalPath& path = step.critical;
  Json json = {{"seconds", step.step_seconds},
               {"compute_seconds", step.compute_seconds},
               {"exposed_seconds", step.exposed_seconds},
               {"critical_path",
                {{"compute", path.compute},
                 {"copy", path.copy},
                 {"collective", path.collective},
                 {"sum", path.sum},
                 {"update", path.update},
                 {"wait", path.wait}}},
               {"bottleneck", step.bottleneck},
               {"collectives", collectives_json(step.collectives)},
               {"links", report::to_json(step.links, count.on->machine.links)}};
  if (!step.worker_step_seconds.empty()) {
    json["worker_seconds"] = step.worker_step_seconds;
    json["steady"] = step.is_steady && step.few_steps == 0;
  }
  return json;
}

// Adds the timeline for the largest number of devices that fits into memory.
void add_timeline(const job::Simulation& simulation, Json& results) {
  for (std::size_t i = results.size(); i-- > 0;) {
    const job::SimulatedRun& run = simulation.runs[i];
    if (!run.prediction.step) continue;
    results[i]["timeline"] = report::to_json(
        job::simulated_timeline(run.plan->lasting(), *run.on, *run.prediction.step));
    return;
  }
}

Json stages_json(const simulate::Prediction& prediction) {
  Json stages = Json::array();
  for (const simulate::Prediction::Stage& stage : prediction.stages)
    stages.push_back({{"first_step", stage.first_step},
                      {"images_per_second", stage.images_per_second},
                      {"step_seconds", stage.step_seconds}});
  return stages;
}

Json count_json(const job::SimulatedRun& count, double one_device_rate) {
  Json record = {{"devices", count.prediction.devices},
                 {"fits", count.prediction.step.has_value()},
                 {"plan_hash", count.plan->hash()},
                 {"verdict", count.plan->check().verdict_text()}};
  if (count.threads > 0) record["threads_per_device"] = count.threads;
  if (!count.prediction.step) {
    record["problem"] = count.prediction.problem;
  } else {
    record["images_per_second"] = count.prediction.images_per_second;
    record["efficiency"] = efficiency(count, one_device_rate);
    record["step"] = step_json(count);
    if (!count.prediction.stages.empty()) record["stages"] = stages_json(count.prediction);
  }
  record["memory"] = memory_json(count);
  return record;
}

// Names the devices as a run on one host lists them. With many hosts there are thousands, so it
// names only the first and the last one.
std::vector<std::string> named_devices(const plan::Cluster& cluster) {
  constexpr std::size_t kMostNamed = 72;  // the most devices that one host has
  std::vector<std::string> names;
  for (const plan::Place& place : cluster.places)
    if (place.kind == CONVOY_PLACE_DEVICE) names.push_back("/" + place.name);
  if (names.size() <= kMostNamed) return names;
  return {names.front(), fmt::format("{} more", names.size() - 2), names.back()};
}

}  // namespace

void print_simulation_header(std::ostream& out, const job::Setup& setup,
                             const job::Simulation& simulation) {
  const job::SimulatedRun& last = simulation.runs.back();
  report::ConsoleHeader header;
  header.version = kVersion;
  header.model = setup.graph->model();
  header.dataset = setup.model_info.dataset;
  header.synthetic = setup.options.data_dir.empty();
  header.mode = "training (simulated)";
  header.global_batch = std::int64_t{last.prediction.devices} * simulation.batch;
  header.batch_per_device = simulation.batch;
  const JobOptions& options = setup.options;
  const std::int64_t examples = data::find_dataset(setup.model_info.dataset).training_examples;
  header.num_batches =
      train::timed_steps(options.num_batches, options.num_epochs, header.global_batch, examples);
  header.num_epochs = static_cast<double>(header.num_batches) *
                      static_cast<double>(header.global_batch) / static_cast<double>(examples);
  header.devices = named_devices(last.on->cluster);
  header.data_format = setup.options.data_format;
  header.optimizer = train::optimizer_name(setup.options.optimizer.kind);
  header.strategy = setup.strategy->manifest().name;
  header.strategy_details = {{"Simulated", simulation.machine},
                             {"Software", simulation.software},
                             {"Collectives", simulation.collectives},
                             {"Layer times", simulation.rates}};
  report::Console(out, "total_loss", false).header(header);
}

// Prints the rates of workers that do not wait for each other.
void print_workers(std::ostream& out, const job::SimulatedRun& count) {
  constexpr double kUneven = 1.05;
  const simulate::SimulationResult& step = *count.prediction.step;
  const std::vector<double>& workers = step.worker_step_seconds;
  if (workers.empty()) return;
  const auto [fastest, slowest] = std::ranges::minmax_element(workers);
  out << fmt::format("Step times of single workers: {:.2f} to {:.2f} ms\n", milliseconds(*fastest),
                     milliseconds(*slowest));
  if (*slowest > kUneven * *fastest) {
    const std::uint32_t place =
        step.worker_places[static_cast<std::size_t>(slowest - workers.begin())];
    out << fmt::format("Slowest worker: {}, {:.2f} ms per step, {:.1f} times the median\n",
                       count.on->cluster.places[place].name, milliseconds(*slowest),
                       *slowest / median(workers));
  }
  if (!step.is_steady)
    out << "The faster ones had not reached their staleness bound when the simulation ended: in "
           "the long run all go at the speed of the slowest\n";
  if (step.few_steps > 0)
    out << fmt::format(
        "Only {} steps of each worker were simulated, because more take too long: in the long run, "
        "a step may take up to half as long again\n",
        step.few_steps);
}

// If workers wait for each other in turn, single steps of one worker differ, and the chain is that
// of one step.
std::string chain_label(const simulate::SimulationResult& step) {
  const simulate::CriticalPath& it = step.critical;
  const double chain = it.compute + it.copy + it.collective + it.sum + it.update + it.wait;
  constexpr double kAsLong = 0.01;
  if (std::abs(chain - step.step_seconds) <= kAsLong * step.step_seconds) return "Longest chain";
  return fmt::format("Longest chain, of a step of {:.2f} ms", milliseconds(chain));
}

void print_simulated_step(std::ostream& out, const job::SimulatedRun& count) {
  const simulate::SimulationResult& step = *count.prediction.step;
  report::Console(out, "total_loss", false).total(count.prediction.images_per_second);
  const simulate::CriticalPath& path = step.critical;
  out << fmt::format(
             "Step (simulated): {:.2f} ms, compute {:.2f} ms, exposed communication {:.2f} ms\n",
             milliseconds(step.step_seconds), milliseconds(step.compute_seconds),
             milliseconds(step.exposed_seconds))
      << fmt::format(
             "{}: compute {:.2f} ms, copies {:.2f} ms, collectives {:.2f} ms, sums "
             "{:.2f} ms, updates {:.2f} ms, waiting {:.2f} ms\n",
             chain_label(step), milliseconds(path.compute), milliseconds(path.copy),
             milliseconds(path.collective), milliseconds(path.sum), milliseconds(path.update),
             milliseconds(path.wait))
      << fmt::format("Hash of the lowered plan: {}\n", count.plan->hash())
      << fmt::format("Bottleneck: {}\n", step.bottleneck);
  for (const simulate::Prediction::Stage& stage : count.prediction.stages)
    out << fmt::format("From step {} on: {:.2f} images/sec, {:.2f} ms per step\n", stage.first_step,
                       stage.images_per_second, milliseconds(stage.step_seconds));
  print_workers(out, count);
  const std::size_t shown = std::min(kShownLinks, step.links.size());
  for (std::size_t i = 0; i < shown; ++i)
    out << fmt::format("  {:>5.1f} %  {:>9.2f} MB per step  {}{}\n",
                       100 * step.links[i].utilization, step.links[i].bytes / 1e6,
                       count.on->machine.links[step.links[i].link].name,
                       simulate::assumed_rate(count.on->machine.links[step.links[i].link]));
  if (step.links.size() > shown)
    out << fmt::format("  {} more links carry data\n", step.links.size() - shown);
  if (const std::string advice = simulate::advice_on_rates(count.on->machine, step.links);
      !advice.empty())
    out << fmt::format("  {}\n", advice);
  for (const simulate::CollectiveUse& use : step.collectives)
    out << fmt::format("  {:g} x {}: {:.2f} MB, {:.2f} ms ({:.2f} ms if nothing else ran)\n",
                       use.count, use.way, use.bytes / 1e6, milliseconds(use.seconds),
                       milliseconds(use.seconds_alone));
}

void print_scaling_table(std::ostream& out, const job::Simulation& simulation) {
  const double one_device_rate = simulation.one_device_rate;
  out << "devices  images/sec  speed-up  efficiency  linear      step ms  compute ms  exposed ms  "
         "bottleneck\n";
  for (const job::SimulatedRun& count : simulation.runs) {
    const simulate::Prediction& it = count.prediction;
    if (!it.step) {
      out << fmt::format("{:>7}  does not fit: {}\n", it.devices, it.problem);
      continue;
    }
    out << fmt::format(
        "{:>7}  {:>10.2f}  {:>8.2f}  {:>8.1f} %  {:>10.2f}  {:>7.2f}  {:>10.2f}  "
        "{:>10.2f}  {}\n",
        it.devices, it.images_per_second, it.images_per_second / one_device_rate,
        100 * efficiency(count, one_device_rate), one_device_rate * it.devices,
        milliseconds(it.step->step_seconds), milliseconds(it.step->compute_seconds),
        milliseconds(it.step->exposed_seconds), it.step->bottleneck);
  }
}

std::string simulation_json(const job::Setup& setup, const job::Simulation& simulation) {
  Json record = {{"schema_version", 1},
                 {"simulated", true},
                 {"convoy_version", kVersion},
                 {"model", setup.graph->model()},
                 {"strategy", setup.strategy->manifest().name},
                 {"strategy_options", Json(setup.strategy->options())},
                 {"machine", simulation.machine},
                 {"software", simulation.software},
                 {"collectives", simulation.collectives},
                 {"layer_times", simulation.rates},
                 {"hosts", simulation.hosts},
                 {"batch_per_device", simulation.batch},
                 {"compute_dtype", simulation.compute_dtype},
                 {"one_device_images_per_second", simulation.one_device_rate}};
  if (setup.decision) {
    record["selection"] = select::to_json(*setup.decision);
    record["selection"]["flags"] = select::flags_of(setup.decision->chosen);
  }
  Json results = Json::array();
  for (const job::SimulatedRun& count : simulation.runs)
    results.push_back(count_json(count, simulation.one_device_rate));
  if (job::wants_timeline(setup.options)) add_timeline(simulation, results);
  record["results"] = std::move(results);
  return json_text(record, 2) + "\n";
}

}  // namespace convoy::cli
