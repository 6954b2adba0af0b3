#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/process/processors.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/show/comparison.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/children/child_environment.hpp"
#include "core/cli/verbs/children/child_program.hpp"
#include "core/cli/verbs/compare_request.hpp"
#include "core/cli/verbs/temporary_folder.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/progress.hpp"

namespace convoy::cli {
namespace {

void read_simulation(const nlohmann::json& record, ComparisonCell& cell) {
  const nlohmann::json& result = record.at("results").at(0);
  cell.replicas = result.at("devices").get<std::uint32_t>();
  cell.images_per_second = result.at("images_per_second").get<double>();
  cell.one_device_rate = record.at("one_device_images_per_second").get<double>();
  cell.machine = record.at("machine").get<std::string>();
  cell.software = record.at("software").get<std::string>();
  cell.layer_times = record.at("layer_times").get<std::string>();
  cell.hosts = record.at("hosts").get<std::uint32_t>();
  cell.threads_per_device = result.value("threads_per_device", std::int64_t{0});
  cell.step_seconds = result.at("step").at("seconds").get<double>();
  cell.plan_hash = result.at("plan_hash").get<std::string>();
  cell.verdict = result.at("verdict").get<std::string>();
}

void read_run(const nlohmann::json& record, ComparisonCell& cell) {
  cell.replicas = static_cast<std::uint32_t>(record.at("devices").size());
  cell.images_per_second = record.at("total").at("images_per_sec").get<double>();
  cell.machine = record.at("devices").at(0).at("model").get<std::string>();
  cell.threads_per_device = record.at("devices").at(0).at("threads").get<std::int64_t>();
  cell.step_seconds = record.at("total").at("step_seconds").at("p50").get<double>();
  cell.plan_hash = record.at("strategy").at("plan_hash").get<std::string>();
  cell.verdict = record.at("strategy").at("verdict").get<std::string>();
}

class Comparer {
 public:
  Comparer(const CompareRequest& request, std::ostream& err)
      : request_(request),
        progress_(err, report::standard_error_is_terminal()),
        notices_(notices_on_variables(flags_of_one_run(),
                                      "it is for a single run, but compare makes several")) {
    interrupt_.end_quietly();  // the current run ends at once, and earlier results are shown
    result_.simulated = request.simulated;
    result_.machine = request.machine;
    choose_threads();
  }

  // Returns the cells; if it is interrupted, the cells so far.
  const Comparison& run() {
    for (const std::string& model : request_.models) {
      const std::size_t first = result_.cells.size();
      for (std::uint32_t repeat = 0; repeat < request_.repeats; ++repeat) {
        std::size_t cell = first;
        for (const ComparedStrategy& strategy : request_.strategies)
          for (const std::uint32_t devices : request_.counts)
            if (!interrupt_.requested()) take_cell(cell++, model, strategy, devices);
      }
      find_one_device_rate(model);
    }
    progress_.clear();
    return result_;
  }

  std::size_t taken() const { return taken_; }  // number of runs that have begun
  ExitCode interruption() const { return interrupt_.code(); }
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  // Gives a CPU device the same number of cores in every row. Otherwise a single device would get
  // all cores.
  void choose_threads() {
    if (request_.simulated || find_flag(request_.common, "num_intra_threads")) return;
    const std::uint32_t most = *std::max_element(request_.counts.begin(), request_.counts.end());
    const std::uint32_t threads = std::max(1u, count_usable_processors() / most);
    threads_ = fmt::format("--num_intra_threads={}", threads);
    notices_.push_back(
        fmt::format("every CPU device has {}, as many as with {}, so that rows can be compared; "
                    "--num_intra_threads changes that",
                    threads == 1 ? "1 thread" : fmt::format("{} threads", threads),
                    most == 1 ? "1 device" : fmt::format("{} devices", most)));
  }

  // Repeats of a cell alternate with the runs of the other cells, so that a temporary disturbance
  // of the machine affects all cells.
  void take_cell(std::size_t index, const std::string& model, const ComparedStrategy& strategy,
                 std::uint32_t devices) {
    const std::size_t all = request_.models.size() * request_.strategies.size() *
                            request_.counts.size() * request_.repeats;
    progress_.show(
        fmt::format("{} of {}: {}, {}, {} devices", ++taken_, all, model, strategy.label, devices));
    if (index < result_.cells.size() && !result_.cells[index].images_per_second) return;
    ComparisonCell cell = make_cell(model, strategy, devices, {});
    if (interrupt_.requested()) return;
    if (index == result_.cells.size()) result_.cells.emplace_back();
    add_run(std::move(cell), result_.cells[index]);
  }

  ComparisonCell make_cell(const std::string& model, const ComparedStrategy& strategy,
                           std::uint32_t devices, const std::vector<std::string>& more) {
    ComparisonCell cell;
    cell.model = model;
    cell.strategy = strategy.label;
    cell.replicas = request_.hosts * devices;
    const std::filesystem::path file = folder_.path() / "cell.json";
    std::vector<std::string> arguments = {request_.simulated ? "simulate" : "run"};
    arguments.insert(arguments.end(), request_.common.begin(), request_.common.end());
    arguments.insert(arguments.end(), {"--model=" + model, fmt::format("--num_devices={}", devices),
                                       "--output_file=" + file.string()});
    if (!threads_.empty()) arguments.push_back(threads_);
    arguments.insert(arguments.end(), strategy.flags.begin(), strategy.flags.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ChildOutcome outcome =
        run_child_program(arguments, [this] { return interrupt_.requested(); });
    cell.exit_code = outcome.exit_code;
    cell.problem = outcome.error;
    if (outcome.exit_code == 0) read_cell(file, cell);
    if (cell.problem.empty() && !cell.images_per_second)
      cell.problem = fmt::format("it ended with code {} and no message", outcome.exit_code);
    return cell;
  }

  void read_cell(const std::filesystem::path& file, ComparisonCell& cell) const {
    try {
      const nlohmann::json record = parse_json(std::ifstream(file));
      request_.simulated ? read_simulation(record, cell) : read_run(record, cell);
      cell.batch = record.at("batch_per_device").get<std::uint32_t>();
      cell.compute_dtype = record.at("compute_dtype").get<std::string>();
      if (record.contains("selection") && record["selection"].is_object())
        cell.taken = record["selection"].at("flags").get<std::string>();
    } catch (const nlohmann::json::exception& error) {
      cell.images_per_second.reset();
      cell.exit_code = static_cast<int>(ExitCode::kFailed);
      cell.problem = fmt::format("its record cannot be read: {}", json_problem(error));
    }
  }

  // Takes the fastest cell with one device. If there is none, takes the simulated rate of the
  // fastest strategy on one device, or of the first strategy that runs with one.
  void find_one_device_rate(const std::string& model) {
    double best = 0;
    double foreseen = 0;
    for (const ComparisonCell& cell : result_.cells) {
      if (cell.model != model) continue;
      if (cell.replicas == 1) best = std::max(best, cell.images_per_second.value_or(0));
      foreseen = std::max(foreseen, cell.one_device_rate);
    }
    if (best <= 0) best = foreseen;
    for (const ComparedStrategy& strategy : request_.strategies) {
      if (best > 0 || interrupt_.requested()) break;
      const std::vector<std::string> one_host = {"--hosts=1"};
      best = make_cell(model, strategy, 1, one_host).images_per_second.value_or(0);
    }
    if (best > 0) result_.one_device[model] = best;
  }

  const CompareRequest& request_;
  report::Progress progress_;
  InterruptGuard interrupt_;
  TemporaryFolder folder_{"convoy-compare"};
  std::string threads_;
  std::vector<std::string> notices_;
  std::size_t taken_ = 0;
  Comparison result_;
};

void show(const Comparison& comparison, const CompareRequest& request, std::ostream& out) {
  const std::string record = comparison_json(comparison);
  if (!request.output_file.empty()) write_output_file(request.output_file, record);
  if (!request.report_file.empty())
    report::write_report({report::parse_record("this comparison", record)}, request.report_file);
  if (request.json)
    out << record;
  else
    print_comparison(out, comparison);
}

}  // namespace

int run_compare_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  if (wants_help(arguments)) {
    out << compare_help();
    return static_cast<int>(ExitCode::kOk);
  }
  const CompareRequest request = parse_compare_request(arguments);
  check_record_file(request.output_file, "compare");
  if (!request.report_file.empty()) report::check_report_path(request.report_file);
  Comparer comparer(request, err);
  print_notices(err, comparer.notices());
  const Comparison& comparison = comparer.run();
  const auto interruption = static_cast<int>(comparer.interruption());
  if (interruption == 0)
    refuse_common_mistake(comparison.cells, "every cell: ");
  else
    err << fmt::format("convoy: interrupted in run {}; the table has those before it\n",
                       comparer.taken());
  show(comparison, request, out);
  return interruption != 0 ? interruption
                           : exit_code_of(comparison.cells, &ComparisonCell::images_per_second);
}

}  // namespace convoy::cli
