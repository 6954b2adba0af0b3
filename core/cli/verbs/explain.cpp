#include "core/cli/verbs/verbs.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/simulation_report.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/job_plan.hpp"
#include "core/job/simulation/simulation.hpp"
#include "core/plan/print/step_in_words.hpp"
#include "core/plan/stages.hpp"

namespace convoy::cli {
namespace {

void explain_plan(std::ostream& out, const job::Setup& setup) {
  const job::JobPlan job = job::plan_job(setup);
  const plan::Plan& plan = job.plan->logical();
  const plan::check::CheckReport& report = job.plan->check();
  out << fmt::format("{}, {}: {}\n", setup.strategy->manifest().name,
                     counted(plan.cluster->replicas(), "replica"), report.verdict_text());
  for (const plan::check::Finding& finding : report.findings)
    out << fmt::format("  {}: {}\n", plan::check::finding_name(finding.kind), finding.text);
  for (std::size_t stage = 0; stage < plan::stage_count(plan); ++stage) {
    const plan::Plan now = plan::stage_of(plan, stage);
    if (stage > 0) out << fmt::format("From step {} on:\n", plan::first_step_of(plan, stage));
    out << (now.computes == 1 ? "A step:\n" : fmt::format("A period of {} steps:\n", now.computes));
    for (const std::string& words : plan::step_in_words(now)) out << "  " << words << '\n';
  }
  out << "Each operation waits only for earlier operations that touch the same memory, also those "
         "of the previous step.\n";
}

// This needs a machine of known speed.
void explain_waits(std::ostream& out, const job::Setup& setup) {
  const job::Simulation simulation = job::simulate_job(setup, {});
  const job::SimulatedRun& run = simulation.runs.back();
  out << fmt::format("Where a step waits on {} ({}):\n", simulation.machine, simulation.rates);
  if (run.prediction.step)
    print_simulated_step(out, run);
  else
    out << "this does not fit: " << run.prediction.problem << '\n';
}

std::vector<FlagDefinition> explain_flags(RunCommand& command) {
  return planned_cluster_flags(command.options.machine);
}

}  // namespace

int run_explain_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  const std::vector<RefusedFlag> refused =
      flags_of_runs("convoy explain describes a plan and runs nothing");
  if (wants_help(arguments)) {
    out << usage_text({"explain [flags]",
                       "Describes in words what the plan of convoy run with these flags does in a "
                       "step, what is proved of it, and where a step waits, on this machine or a "
                       "described one."}) +
               command_help(arguments, explain_flags, refused);
    return static_cast<int>(ExitCode::kOk);
  }
  refuse_flags(arguments, refused);
  JobCommand command = read_command(arguments, explain_flags);
  const bool here = job::plans_for_devices_here(command.options.machine);
  const bool timed = here || job::describes_machine(command.options.machine);
  const job::Setup setup =
      job::set_up_dry_run(std::move(command.options), std::move(command.catalog),
                          {.of_this_machine = here}, job::choose_as_run_does, log_to(err));
  print_notices(err, command.notices);
  print_notices(err, setup.notices);
  explain_plan(out, setup);
  if (timed)
    explain_waits(out, setup);
  else
    out << "Where a step waits is not known: describe the machine with --platform or --topology.\n";
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
