#include "core/cli/show/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "core/base/numbers/statistics.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/json.hpp"
#include "core/base/version.hpp"

namespace convoy::cli {
namespace {

using Json = nlohmann::ordered_json;

Json optional_number(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Speed-up, efficiency and linear rate: "7.95      99.4 %     1234.56", with dashes for unknown
// values.
std::string scaling_text(const Comparison& comparison, const ComparisonCell& cell) {
  const std::optional<double> speed_up = comparison.speed_up(cell);
  if (!speed_up) return fmt::format("{:>8}  {:>10}  {:>10}", "-", "-", "-");
  return fmt::format("{:>8.2f}  {:>8.1f} %  {:>10.2f}", *speed_up, 100 * *speed_up / cell.replicas,
                     comparison.linear(cell).value_or(0));
}

// Prints the numbers of threads for simulations, each of which has the threads that a real run
// would have. For real runs they are printed before the runs begin.
void print_threads(std::ostream& out, const Comparison& comparison) {
  std::map<std::uint32_t, std::int64_t> threads;  // by number of devices
  for (const ComparisonCell& cell : comparison.cells)
    if (cell.threads_per_device > 0) threads[cell.replicas] = cell.threads_per_device;
  if (!comparison.simulated || threads.empty()) return;
  std::vector<std::string> texts;
  texts.reserve(threads.size());
  for (const auto& [devices, number] : threads)
    texts.push_back(fmt::format("{} with {}", number, counted(devices, "device")));
  out << fmt::format("Threads per device: {}\n", fmt::join(texts, ", "));
}

}  // namespace

void add_run(ComparisonCell run, ComparisonCell& cell) {
  if (!run.images_per_second) {
    cell = std::move(run);
    return;
  }
  std::vector<double> rates = std::move(cell.repeats);
  std::vector<double> steps = std::move(cell.repeated_steps);
  rates.push_back(*run.images_per_second);
  steps.push_back(run.step_seconds);
  if (rates.size() == 1) cell = std::move(run);
  cell.images_per_second = median(rates);
  cell.step_seconds = median(steps);
  cell.repeats = std::move(rates);
  cell.repeated_steps = std::move(steps);
}

std::optional<double> Comparison::linear(const ComparisonCell& cell) const {
  const auto one = one_device.find(cell.model);
  if (one == one_device.end()) return std::nullopt;
  return one->second * cell.replicas;
}

std::optional<double> Comparison::speed_up(const ComparisonCell& cell) const {
  const auto one = one_device.find(cell.model);
  if (one == one_device.end() || !cell.images_per_second) return std::nullopt;
  return *cell.images_per_second / one->second;
}

void print_comparison(std::ostream& out, const Comparison& comparison) {
  std::size_t model = 5;
  std::size_t strategy = 8;
  for (const ComparisonCell& cell : comparison.cells) {
    model = std::max(model, cell.model.size());
    strategy = std::max(strategy, cell.strategy.size());
  }
  out << fmt::format(
      "{:<{}}  {:<{}}  devices  images/sec     step ms  speed-up  efficiency  {:>10}\n", "model",
      model, "strategy", strategy, "linear");
  for (const ComparisonCell& cell : comparison.cells) {
    out << fmt::format("{:<{}}  {:<{}}  {:>7}  ", cell.model, model, cell.strategy, strategy,
                       cell.replicas);
    if (!cell.images_per_second) {
      out << "none: " << cell.problem << '\n';
      continue;
    }
    out << fmt::format("{:>10.2f}  {:>10.2f}  {}{}{}\n", *cell.images_per_second,
                       1e3 * cell.step_seconds, scaling_text(comparison, cell),
                       cell.taken.empty() ? "" : "  ", cell.taken);
  }
  print_threads(out, comparison);
  print_layer_times(out, comparison.cells);
}

std::string comparison_json(const Comparison& comparison) {
  Json record = {{"schema_version", 1},
                 {"simulated", comparison.simulated},
                 {"convoy_version", kVersion},
                 {"machine", comparison.machine},
                 {"one_device_images_per_second", comparison.one_device},
                 {"cells", Json::array()}};
  for (const ComparisonCell& cell : comparison.cells) {
    Json json = {{"model", cell.model}, {"strategy", cell.strategy}, {"devices", cell.replicas}};
    json["images_per_second"] = optional_number(cell.images_per_second);
    if (cell.images_per_second) {
      const std::optional<double> speed_up = comparison.speed_up(cell);
      if (cell.repeats.size() > 1) json["repeats"] = cell.repeats;
      json["machine"] = cell.machine;
      if (!cell.software.empty()) json["software"] = cell.software;
      if (!cell.layer_times.empty()) json["layer_times"] = cell.layer_times;
      json["hosts"] = cell.hosts;
      json["batch_per_device"] = cell.batch;
      json["compute_dtype"] = cell.compute_dtype;
      if (cell.threads_per_device > 0) json["threads_per_device"] = cell.threads_per_device;
      json["step_seconds"] = cell.step_seconds;
      json["plan_hash"] = cell.plan_hash;
      json["verdict"] = cell.verdict;
      json["speed_up"] = optional_number(speed_up);
      json["efficiency"] = speed_up ? Json(*speed_up / cell.replicas) : Json(nullptr);
    } else {
      json["exit_code"] = cell.exit_code;
      json["problem"] = cell.problem;
    }
    json["linear_images_per_second"] = optional_number(comparison.linear(cell));
    if (!cell.taken.empty()) json["taken"] = cell.taken;
    record["cells"].push_back(std::move(json));
  }
  return json_text(record, 2) + "\n";
}

}  // namespace convoy::cli
