#include "core/cli/verbs/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/base/text/number.hpp"
#include "core/base/text/system_text.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/show/sweep_table.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/known_names.hpp"
#include "core/cli/verbs/simulated_job.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/simulation/simulation.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/progress.hpp"
#include "core/report/run_record.hpp"
#include "core/select/candidate.hpp"

namespace convoy::cli {
namespace {

constexpr std::size_t kMostPoints = 100'000;
// Points with more hosts are simulated one at a time, because each may need much of the memory.
constexpr std::uint32_t kManyHosts = 64;

// Returns 0 for a text that is not a number. The row's problem then says so.
std::uint32_t number_in(const std::string& text) {
  return parse_number<std::uint32_t>(text).value_or(0);
}

// Fills in what is known about a point before its flags are parsed, because parsing may fail.
void describe(const SweepAxes& axes, std::size_t point, SweepRow& row) {
  const JobOptions defaults;
  row.model = defaults.model;
  row.strategy = defaults.variable_update;
  const std::vector<std::string> values = axes.values_at(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SweepAxis& axis = axes.axes()[i];
    if (axis.flag == "platform") row.machine = values[i];
    if (axis.flag == "model") row.model = values[i];
    if (axis.flag == "variable_update") row.strategy = values[i];
    if (axis.flag == "batch_size") row.batch = number_in(values[i]);
    if (axis.flag == "hosts") row.hosts = number_in(values[i]);
    if (!axis.is_swept) row.devices_per_host = number_in(values[i]);
  }
}

void describe(const JobOptions& options, SweepRow& row) {
  const MachineOptions& machine = options.machine;
  row.machine = machine.platform.empty() ? machine.topology : machine.platform;
  row.model = options.model;
  row.strategy = options.variable_update;
  row.hosts = machine.hosts.value_or(1);
  row.devices_per_host = options.num_devices.value_or(0);
  row.batch = options.batch_size.value_or(0);
}

void fill(const job::Setup& setup, const job::Simulation& simulation, SweepRow& row) {
  const simulate::Prediction& it = simulation.runs.front().prediction;
  if (row.machine.empty()) row.machine = simulation.machine;
  row.batch = simulation.batch;
  row.compute_dtype = simulation.compute_dtype;
  row.software = simulation.software;
  row.layer_times = simulation.rates;
  row.hosts = simulation.hosts;
  row.devices_per_host = it.devices / simulation.hosts;
  if (setup.decision) row.taken = select::flags_of(setup.decision->chosen);
  if (!it.step) {
    row.problem = "does not fit: " + it.problem;
    row.exit_code = static_cast<int>(ExitCode::kUnavailable);
    return;
  }
  row.figures = SweepFigures{job::simulated_job(simulation), simulation.one_device_rate};
}

class Sweep {
 public:
  Sweep(std::span<const std::string> arguments, const SweepAxes& axes, std::ostream& err)
      : arguments_(arguments.begin(), arguments.end()),
        axes_(axes),
        err_(err),
        progress_(err, report::standard_error_is_terminal()),
        rows_(axes.size()) {
    interrupt_.end_after("points");
  }

  // Returns the rows in the order of the points; if it is interrupted, those so far.
  std::vector<SweepRow> run() {
    in_parallel(rows_.size(), [&](std::size_t point) { make_row(point); });
    progress_.clear();
    std::vector<SweepRow> rows;
    for (std::optional<SweepRow>& row : rows_)
      if (row) rows.push_back(std::move(*row));
    compare_with_one_device(rows);
    return rows;
  }

  ExitCode interruption() const { return interrupt_.code(); }

 private:
  void make_row(std::size_t point) {
    if (interrupt_.requested()) return;
    SweepRow row;
    describe(axes_, point, row);
    try {
      simulate(point, row);
    } catch (const Error& error) {
      row.exit_code = static_cast<int>(error.code());
      row.problem = error.what();
    }
    rows_[point] = std::move(row);
    const std::lock_guard lock(terminal_);
    const std::vector<std::string> flags = axes_.flags_at(point);
    progress_.show(fmt::format("{} of {}: {}", ++finished_, rows_.size(), fmt::join(flags, " ")));
  }

  // The plug-in instances of a point. They are made and destroyed by one thread at a time, because
  // plug-ins need not be thread-safe.
  struct PointJob {
    ~PointJob() {
      const std::lock_guard lock(plugins);
      planned.reset();
      setup.reset();
    }
    std::mutex& plugins;
    std::ostringstream said = {};  // messages of plug-ins
    std::optional<job::Setup> setup = {};
    std::optional<job::PlannedSimulation> planned = {};
  };

  // A point that is too large to be simulated beside others is postponed until they have ended.
  void simulate(std::size_t point, SweepRow& row) {
    std::vector<std::string> arguments = arguments_;
    for (const std::string& flag : axes_.flags_at(point)) arguments.push_back(flag);
    PointJob job{plugins_};
    std::vector<std::string> notices;
    {
      const std::lock_guard lock(plugins_);
      SimulateRequest request;
      JobCommand command = read_command(arguments, simulate_flags(request));
      command.options.trace_file.clear();  // an environment variable may have set it
      command.options.record_timeline = false;
      if (job::count_hosts(command.options.machine) > kManyHosts) require_no_other_work();
      describe(command.options, row);
      notices = command.notices;
      job.setup.emplace(set_up_simulation(command, job.said));
      job.planned.emplace(*job.setup, std::vector<std::uint32_t>());
    }
    const job::Simulation simulation = job.planned->predict();
    notices.insert(notices.end(), job.setup->notices.begin(), job.setup->notices.end());
    notices.insert(notices.end(), simulation.notices.begin(), simulation.notices.end());
    tell(job.said.str(), notices);
    fill(*job.setup, simulation, row);
  }

  // Prints every sentence once, whatever the number of points.
  void tell(const std::string& said, const std::vector<std::string>& notices) {
    std::ostringstream text;
    text << said;
    print_notices(text, notices);
    const std::lock_guard lock(terminal_);
    for (const std::string& line : lines_of(text.str())) {
      if (line.empty() || !told_.insert(line).second) continue;
      progress_.clear();
      err_ << line << '\n';
    }
  }

  std::vector<std::string> arguments_;
  const SweepAxes& axes_;
  std::ostream& err_;
  InterruptGuard interrupt_;
  report::Progress progress_;
  std::mutex plugins_;
  std::mutex terminal_;  // guards the members below
  std::set<std::string> told_;
  std::size_t finished_ = 0;
  std::vector<std::optional<SweepRow>> rows_;
};

// Variables of the environment do not count, because they may be meant for other commands.
void refuse_flags_of_one_simulation(std::span<const std::string> arguments) {
  const auto refuse = [](const char* flag) {
    fail(ExitCode::kUsage, "--{} is for a single simulation, but a sweep has several; leave it out",
         flag);
  };
  if (!find_flag(arguments, "trace_file", no_environment).value_or("").empty())
    refuse("trace_file");
  for (const char* flag : {"export", "export_prefix"})
    if (find_flag(arguments, flag, no_environment)) refuse(flag);
  if (find_switch(arguments, "record_timeline", no_environment)) refuse("record_timeline");
}

std::vector<std::string> notices_on_variables_of_one_simulation() {
  constexpr std::string_view kFlags[] = {"trace_file", "export", "export_prefix",
                                         "record_timeline"};
  return notices_on_variables(kFlags, "it is for a single simulation, but a sweep has several");
}

// The files that a sweep writes; empty names: none.
struct SweepFiles {
  std::string rows;
  std::string report;
};

// This is checked before the work, not after it.
SweepFiles check_files(std::span<const std::string> arguments) {
  SweepFiles files = {find_flag(arguments, "output_file").value_or(""),
                      find_flag(arguments, "report").value_or("")};
  if (!files.report.empty()) report::check_report_path(files.report);
  if (!files.rows.empty()) report::check_record_path(files.rows);
  return files;
}

// Checks names once before the first point, not at each point.
void check_names(std::span<const std::string> arguments, const SweepAxes& axes) {
  ListedNames names;
  for (const SweepAxis& axis : axes.axes()) {
    if (axis.flag == "model") names.models = axis.values;
    if (axis.flag == "variable_update") names.strategies = axis.values;
    if (axis.flag == "platform") names.platforms = axis.values;
  }
  require_known(names, arguments);
}

void write_sweep(const SweepFiles& files, const std::vector<SweepRow>& rows, bool interrupted) {
  if (!files.rows.empty())
    write_output_file(files.rows, sweep_record(rows, interrupted, files.rows));
  if (!files.report.empty())
    report::write_report({report::parse_record("this sweep", sweep_json(rows, interrupted))},
                         files.report);
}

}  // namespace

int run_sweep(std::span<const std::string> arguments, const SweepAxes& axes, std::ostream& out,
              std::ostream& err) {
  if (axes.size() > kMostPoints)
    fail(ExitCode::kUsage, "{} points to simulate; {} at most: give fewer values", axes.size(),
         kMostPoints);
  refuse_flags_of_one_simulation(arguments);
  print_notices(err, notices_on_variables_of_one_simulation());
  const SweepFiles files = check_files(arguments);
  check_names(arguments, axes);
  Sweep sweep(arguments, axes, err);
  const std::vector<SweepRow> rows = sweep.run();
  const auto interruption = static_cast<int>(sweep.interruption());
  if (interruption == 0) refuse_common_mistake(rows);
  print_sweep(out, rows);
  write_sweep(files, rows, interruption != 0);
  return interruption != 0 ? interruption : exit_code_of(rows, &SweepRow::figures);
}

}  // namespace convoy::cli
