#include "core/cli/simulate_verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/plan_subject.hpp"
#include "core/cli/simulated_hardware.hpp"
#include "core/cli/simulation_report.hpp"
#include "core/cli/simulation_trace.hpp"
#include "core/graph/arena.hpp"
#include "core/plan/check.hpp"
#include "core/plan/make_plan.hpp"
#include "core/report/output_file.hpp"
#include "core/runtime/model_map.hpp"
#include "core/train/optimizer.hpp"

namespace convoy {
namespace {

constexpr std::uint32_t kMostDevices = 4096;              // per host; more is a typing error
constexpr std::uint64_t kPixelBytes = 3 * sizeof(float);  // as batches reach devices

// "1,2,4,8"; Error kUsage naming the flag.
std::vector<std::uint32_t> parse_counts(const std::string& flag, const std::string& value) {
  std::vector<std::uint32_t> counts;
  const char* at = value.data();
  const char* const end = at + value.size();
  while (true) {
    std::uint32_t count = 0;
    const auto [next, error] = std::from_chars(at, end, count);
    const bool last = next == end;
    if (error != std::errc{} || count == 0 || count > kMostDevices || (!last && *next != ','))
      fail(ExitCode::kUsage,
           "--{}={}: numbers of devices per host from 1 to {} separated by commas, such as 1,2,8",
           flag, value, kMostDevices);
    counts.push_back(count);
    if (last) return counts;
    at = next + 1;
  }
}

// A list of device counts is this verb's own: the flags that it shares with run see its last one.
struct DeviceCounts {
  std::vector<std::uint32_t> counts;  // empty: not given
  std::vector<std::string> arguments;
};

DeviceCounts take_counts(std::span<const std::string> arguments) {
  DeviceCounts result;
  for (const std::string flag : {"num_gpus", "num_devices"}) {
    const std::optional<std::string> value = find_flag(arguments, flag);
    if (value && !value->empty()) result.counts = parse_counts(flag, *value);
  }
  bool replaces_next = false;
  for (const std::string& argument : arguments) {
    const std::size_t dashes = std::min<std::size_t>(argument.find_first_not_of('-'), 2);
    const std::string name = argument.substr(dashes, argument.find('=') - dashes);
    const bool counts = dashes > 0 && (name == "num_gpus" || name == "num_devices");
    const bool has_value = argument.find('=') != std::string::npos;
    const std::string last =
        result.counts.empty() ? argument : fmt::format("{}", result.counts.back());
    if (counts && has_value)
      result.arguments.push_back(fmt::format("--{}={}", name, last));
    else
      result.arguments.push_back(replaces_next ? last : argument);
    replaces_next = counts && !has_value;
  }
  return result;
}

class Simulation {
 public:
  Simulation(RunSetup& setup, std::vector<std::uint32_t> counts, std::ostream& err)
      : setup_(setup),
        hardware_(choose_simulated_hardware(setup)),
        counts_(std::move(counts)),
        arena_(*setup.graph) {
    if (!setup.flags->optional_number("images_per_sec"))
      for (const std::string& notice : hardware_.notices) err << "convoy: " << notice << '\n';
    if (counts_.empty()) counts_.push_back(hardware_.most_devices);
    const auto asked = setup_.options.batch_size.value_or(setup_.model_info.batch_size);
    subject_.batch = static_cast<std::uint32_t>(asked);
    subject_.hosts = hardware_.hosts;
    subject_.machine = hardware_.name;
    const simulate::SoftwareProfile& software = hardware_.software;
    subject_.software = software.source.empty()
                            ? software.name
                            : fmt::format("{} ({})", software.name, software.source);
    map_ = make_arena_map(*setup_.graph, arena_,
                          static_cast<std::uint64_t>(setup_.options.bucket_mb * (1 << 20) / 4));
    if (!software.bucket_per_variable || setup_.flags->is_given("bucket_mb")) return;
    map_.buckets.clear();
    for (const VariableRange& variable : map_.variables) map_.buckets.push_back(variable.range);
  }

  int execute(std::ostream& out) {
    simulate::Predictor predictor = make_predictor();
    const std::vector<SimulatedCount> counts = predict(predictor);
    print_simulation_header(out, setup_, subject_, counts.back());
    if (counts.size() > 1) print_scaling_table(out, counts, one_device_rate_);
    write_files(counts);
    const SimulatedCount& last = counts.back();
    if (!last.prediction.step)
      fail(
          ExitCode::kFailed,
          "this does not fit: {}; a smaller --batch_size, or another --variable_update, needs less",
          last.prediction.problem);
    print_simulated_step(out, last);
    return static_cast<int>(ExitCode::kOk);
  }

 private:
  simulate::Predictor make_predictor() {
    simulate::PredictorOptions options;
    options.batch = subject_.batch;
    options.half = setup_.options.half;
    options.joins_updates = hardware_.device == "cpu";
    options.simulation.software = hardware_.software;
    options.simulation.seed = setup_.options.seed;
    options.simulation.state_slots = state_slots(setup_.options.optimizer.kind);
    options.simulation.keep_operations = !setup_.options.trace_file.empty();
    if (!setup_.options.data_dir.empty()) {
      const std::uint64_t side = setup_.graph->image_size();
      options.simulation.input = {subject_.batch, kPixelBytes * side * side};
    }
    return {*setup_.graph, [this](const Cluster& cluster) { return plan(cluster); }, options};
  }

  Plan plan(const Cluster& cluster) {
    Plan logical =
        make_plan(setup_.strategy->manifest().name, cluster, map_,
                  [&](const convoy_planner& planner) { setup_.strategy->plan(planner); });
    const GuardOptions& guards = setup_.options.guard;
    if (!guards.scales_loss() && !guards.needs_norm() && !guards.gradient_norms) return logical;
    return guard(logical, check_plan(logical), guards);
  }

  std::vector<SimulatedCount> predict(simulate::Predictor& predictor) {
    const std::optional<double> rate = setup_.flags->optional_number("images_per_sec");
    subject_.rates = rate ? fmt::format("{} images/sec of one device", *rate) : hardware_.rates;
    const simulate::SimulatedCluster one = hardware_.cluster(1, 1);
    if (rate) predictor.fit(one, *rate);
    std::vector<SimulatedCount> counts;
    for (const std::uint32_t count : counts_) {
      counts.push_back({hardware_.cluster(hardware_.hosts, count), {}});
      counts.back().prediction = predictor.predict(counts.back().cluster);
      counts.back().prediction.lowered.cluster = nullptr;
    }
    one_device_rate_ = rate.value_or(predictor.predict(one).images_per_second);
    return counts;
  }

  void write_files(const std::vector<SimulatedCount>& counts) const {
    const RunOptions& options = setup_.options;
    if (!options.output_file.empty())
      write_output_file(options.output_file,
                        simulation_json(setup_, subject_, counts, one_device_rate_));
    if (!options.trace_file.empty() && counts.back().prediction.step)
      write_trace(simulation_trace(counts.back().cluster, counts.back().prediction),
                  options.trace_file);
  }

  RunSetup& setup_;
  SimulatedHardware hardware_;
  std::vector<std::uint32_t> counts_;
  Arena arena_;
  ArenaMap map_;
  SimulationSubject subject_;
  double one_device_rate_ = 0;
};

// Before the work, not after it.
void check_files(const RunOptions& options) {
  if (!options.output_file.empty()) {
    if (!options.output_file.ends_with(".json"))
      fail(ExitCode::kUsage, "--output_file={}: a simulation is written as .json",
           options.output_file);
    check_output_file(options.output_file);
  }
  if (!options.trace_file.empty()) check_output_file(options.trace_file);
}

}  // namespace

int run_simulate_verb(std::span<const std::string> arguments, std::ostream& out,
                      std::ostream& err) {
  if (wants_help(arguments)) {
    out << "convoy simulate [flags]: how fast convoy run with these flags would be on a described "
           "machine. --num_gpus takes a list, such as 1,2,4,8, for a table.\n\n"
        << run_help(arguments, simulation_flags());
    return static_cast<int>(ExitCode::kOk);
  }
  const DeviceCounts counts = take_counts(arguments);
  RunSetup setup = set_up_imagined_run(counts.arguments, simulation_flags(),
                                       simulated_device(counts.arguments), log_to(err));
  check_files(setup.options);
  for (const std::string& notice : setup.notices) err << "convoy: " << notice << '\n';
  return Simulation(setup, counts.counts, err).execute(out);
}

}  // namespace convoy
