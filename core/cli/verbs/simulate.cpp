#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/sweep_axes.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/simulation_report.hpp"
#include "core/cli/show/sweep_table.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/simulated_job.hpp"
#include "core/cli/verbs/sweep.hpp"
#include "core/job/simulation/simulated_events.hpp"
#include "core/job/simulation/simulation.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/run_record.hpp"
#include "core/simulate/chakra/chakra_traces.hpp"

namespace convoy::cli {
namespace {

// Writes the files before it prints the step, because the last number of devices may not fit into
// memory, which is an error.
int show(const job::Setup& setup, const job::Simulation& simulation, std::ostream& out) {
  const job::SimulatedRun& last = simulation.runs.back();
  print_simulation_header(out, setup, simulation);
  if (simulation.runs.size() > 1) print_scaling_table(out, simulation);
  const JobOptions& options = setup.options;
  if (!options.output_file.empty())
    write_output_file(options.output_file, simulation_json(setup, simulation));
  if (!options.trace_file.empty() && last.prediction.step)
    report::write_trace(job::simulated_trace(last.plan->lasting(), *last.on, *last.prediction.step),
                        options.trace_file);
  if (!options.report_file.empty())
    report::write_report(
        {report::parse_record("this simulation", simulation_json(setup, simulation))},
        options.report_file);
  if (!last.prediction.step)
    fail(ExitCode::kUnavailable,
         "this does not fit: {}; a smaller --batch_size, or another --variable_update, needs less",
         last.prediction.problem);
  print_simulated_step(out, last);
  return static_cast<int>(ExitCode::kOk);
}

constexpr VerbUsage kSimulateUsage = {
    "simulate [flags]",
    "Predicts how fast convoy run with these flags would be on a described machine. --num_gpus "
    "takes a list, such as 1,2,4,8, for a table. --platform, --model, --variable_update, "
    "--batch_size and --hosts take lists, too: then every combination is simulated and has a row "
    "of its own. Several are simulated in parallel. --output_file writes the rows as .csv, .jsonl "
    "or .json, and --report a page with their scaling curves."};

// This is checked before the work, not after it.
void check_files(const JobOptions& options) {
  if (!options.output_file.empty()) report::check_record_path(options.output_file);
  if (!options.trace_file.empty()) check_output_file(options.trace_file);
  if (!options.report_file.empty()) report::check_report_path(options.report_file);
}

// Writes a simulated step as execution traces PREFIX.RANK.et, and PREFIX.groups.json if collectives
// have groups. The simulation must have kept its operations. Returns a sentence about the files.
std::string write_chakra(const job::SimulatedRun& run, const std::string& prefix) {
  const simulate::ChakraTraces traces = simulate::chakra_traces(
      run.plan->lasting(), run.on->machine, run.layers, run.prediction.step->operations);
  for (std::size_t rank = 0; rank < traces.ranks.size(); ++rank)
    write_output_file(fmt::format("{}.{}.et", prefix, rank), traces.ranks[rank]);
  const std::string groups = prefix + ".groups.json";
  if (!traces.groups.empty()) write_output_file(groups, traces.groups);
  return fmt::format("Execution traces: {} nodes in {}.0.et to {}.{}.et{}", traces.nodes, prefix,
                     prefix, traces.ranks.size() - 1,
                     traces.groups.empty() ? "" : ", groups in " + groups);
}

}  // namespace

int run_simulate_verb(std::span<const std::string> arguments, std::ostream& out,
                      std::ostream& err) {
  SimulateRequest request;
  const VerbFlags flags = simulate_flags(request);
  std::vector<RefusedFlag> refused = flags_of_runs(
      {.profile = "a simulation prints where the time of its step goes without it",
       .repeat = "a simulation gives the same figures every time",
       .against = "a simulation is compared with others by convoy compare --platform=NAME",
       .modes = "what is simulated is a step of training"});
  refused.push_back({.name = "transport",
                     .reason = "hosts are simulated on the network of --platform or --topology",
                     .unset = "auto"});
  if (wants_help(arguments)) {
    out << usage_text(kSimulateUsage) + command_help(arguments, flags, refused);
    return static_cast<int>(ExitCode::kOk);
  }
  refuse_flags(arguments, refused);
  const SweepAxes axes(arguments);
  if (axes.is_sweep() || has_row_per_point(find_flag(arguments, "output_file").value_or("")))
    return run_sweep(arguments, axes, out, err);
  JobCommand command = read_command(arguments, flags);
  const job::Setup setup = set_up_simulation(command, err);
  check_files(setup.options);
  if (request.exports_chakra)
    check_output_file(request.export_prefix + ".0.et");
  else if (find_flag(arguments, "export_prefix"))
    command.notices.emplace_back("--export_prefix has no effect without --export=chakra");
  print_notices(err, command.notices);
  print_notices(err, setup.notices);
  const job::Simulation simulation =
      job::simulate_job(setup, request.counts, request.exports_chakra);
  print_notices(err, simulation.notices);
  const int exit_code = show(setup, simulation, out);
  if (request.exports_chakra)
    out << write_chakra(simulation.runs.back(), request.export_prefix) << '\n';
  return exit_code;
}

}  // namespace convoy::cli
