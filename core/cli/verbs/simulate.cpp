#include "core/cli/verbs/simulate.hpp"

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/output_file.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/cli/show/simulation_report.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/job/auto_choice.hpp"
#include "core/job/described_hosts.hpp"
#include "core/job/simulated_events.hpp"
#include "core/job/simulation.hpp"
#include "core/report/html/write_report.hpp"

namespace convoy {
namespace {

// The files, then what is printed: the last number of devices may not fit.
int show(const job::Setup& setup, const job::Simulation& simulation, std::ostream& out) {
  const job::SimulatedRun& last = simulation.runs.back();
  print_simulation_header(out, setup, simulation);
  if (simulation.runs.size() > 1) print_scaling_table(out, simulation);
  const JobOptions& options = setup.options;
  if (!options.output_file.empty())
    write_output_file(options.output_file, simulation_json(setup, simulation));
  if (!options.trace_file.empty() && last.prediction.step)
    write_trace(job::simulated_trace(last.plan->lowered(), *last.on, *last.prediction.step),
                options.trace_file);
  if (!options.report_file.empty())
    report::write_report(
        {report::parse_record("this simulation", simulation_json(setup, simulation))},
        options.report_file);
  if (!last.prediction.step)
    fail(ExitCode::kFailed,
         "this does not fit: {}; a smaller --batch_size, or another --variable_update, needs less",
         last.prediction.problem);
  print_simulated_step(out, last);
  return static_cast<int>(ExitCode::kOk);
}

// Before the work, not after it.
void check_files(const JobOptions& options) {
  if (!options.output_file.empty()) {
    if (!options.output_file.ends_with(".json"))
      fail(ExitCode::kUsage, "--output_file={}: a simulation is written as .json",
           options.output_file);
    check_output_file(options.output_file);
  }
  if (!options.trace_file.empty()) check_output_file(options.trace_file);
  if (!options.report_file.empty()) report::check_report_path(options.report_file);
}

}  // namespace

int run_simulate_verb(std::span<const std::string> arguments, std::ostream& out,
                      std::ostream& err) {
  std::vector<std::uint32_t> counts;
  const auto flags = [&counts](RunCommand& command) {
    std::vector<FlagDefinition> all = simulation_flags(command.options.machine);
    for (FlagDefinition& flag : device_count_flags(command, counts)) all.push_back(std::move(flag));
    return all;
  };
  if (wants_help(arguments)) {
    out << "convoy simulate [flags]: how fast convoy run with these flags would be on a described "
           "machine. --num_gpus takes a list, such as 1,2,4,8, for a table.\n\n"
        << command_help(arguments, flags);
    return static_cast<int>(ExitCode::kOk);
  }
  JobCommand command = read_command(arguments, flags);
  const bool here = job::plans_for_this_machine(command.options.machine);
  const job::Setup setup = job::set_up_imagined_run(
      std::move(command.options), std::move(command.catalog),
      {.of_this_machine = here, .does_without_devices = true},
      [](const job::Setup& it) { return job::choose_imagined(it, it.options.num_devices); },
      log_to(err));
  check_files(setup.options);
  print_notices(err, command.notices);
  print_notices(err, setup.notices);
  const job::Simulation simulation = job::simulate_job(setup, counts);
  print_notices(err, simulation.notices);
  return show(setup, simulation, out);
}

}  // namespace convoy
