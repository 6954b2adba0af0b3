#include "core/cli/verbs/verbs.hpp"

#include <optional>
#include <ostream>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/auto_explanation.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/job_plan.hpp"
#include "core/job/simulation/simulated_events.hpp"
#include "core/job/simulation/simulation.hpp"
#include "core/plan/print/dot.hpp"
#include "core/plan/print/print.hpp"
#include "core/plan/stages.hpp"
#include "core/report/html/draw.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/sections.hpp"

namespace convoy::cli {
namespace {

constexpr VerbUsage kPlanUsage = {
    "plan [flags]",
    "Shows the plan that convoy run with these flags executes, on this machine or a described one, "
    "as the strategy writes it or lowered."};

// The form in which the plan is shown.
struct PlanView {
  bool lowered = false;
  bool dot = false;
  bool explain = false;
  bool json = false;
  std::string svg;  // file name
};

std::vector<FlagDefinition> plan_flags(PlanView& view, MachineOptions& machine) {
  std::vector<FlagDefinition> flags = {
      bind_flag("lowered", view.lowered, "The plan as it runs: staging, slices, lanes and waits."),
      bind_flag("dot", view.dot, "Graphviz instead of text; of a plan with stages, the last one."),
      bind_flag("svg", view.svg,
                "Write a picture to this file: every lane over the time of a simulated step."),
      bind_flag("explain", view.explain,
                "Under auto: the ranking of all candidates instead of a plan."),
      bind_flag("json", view.json, "Under auto: the ranking as JSON.")};
  FlagDefinition peer_access =
      bind_flag("peer_access", machine.peer_access,
                "Whether devices can address each other's memory. With this flag, the plan is for "
                "generic devices instead of this machine's.");
  peer_access.default_value = "true";
  return joined({in_group("What is shown", std::move(flags)), planned_cluster_flags(machine),
                 in_group(kMachineGroup, {std::move(peer_access)})});
}

// Draws the lowered plan as it would run on a described machine, else on this one.
void draw(const job::Setup& setup, const std::string& file) {
  const job::Simulation simulation = job::simulate_job(setup, {});
  const job::SimulatedRun& run = simulation.runs.back();
  if (!run.prediction.step)
    fail(ExitCode::kUnavailable, "--svg={}: nothing to draw, because the plan does not fit: {}",
         file, run.prediction.problem);
  const report::TimelineRecord step =
      job::simulated_timeline(run.plan->lasting(), *run.on, *run.prediction.step);
  const std::string title = fmt::format(
      "{} on {}, {}: simulated, {:.3f} ms, plan {}", setup.graph->model(), simulation.machine,
      setup.strategy->manifest().name, 1e3 * step.seconds, run.plan->hash());
  constexpr double kWidth = 1200;
  constexpr std::size_t kMostMarks = 4000;
  const report::TimelineChart chart{
      "plan", title, {report::read_timeline(report::to_json(step), title)}, kMostMarks};
  write_output_file(file, report::standalone_svg(report::draw(chart, kWidth)));
}

void print(std::ostream& out, const PlanView& view, const plan::StepPlan& plan) {
  const std::string& hash = plan.hash();  // this also checks whether the plan can be lowered
  if (view.dot)
    plan::print_dot(
        out, view.lowered ? plan.lasting() : plan::stage_of(plan.logical(), plan.stages() - 1),
        view.lowered);
  else if (view.lowered)
    plan::print_lowered(out, plan);
  else
    plan::print_plan(out, plan.logical());
  out << (view.dot ? "// " : "") << "hash of the lowered plan: " << hash << '\n';
}

// Only one view can be shown, so a second one would have no effect.
void refuse_views_that_exclude_each_other(const PlanView& view) {
  const auto refuse = [](const char* one, const char* other, const char* why) {
    fail(ExitCode::kUsage, "--{} and --{}: {}; leave out one of them", one, other, why);
  };
  const char* shown = view.lowered ? "lowered" : view.dot ? "dot" : "svg";
  if ((view.explain || view.json) && (view.lowered || view.dot || !view.svg.empty()))
    refuse(view.explain ? "explain" : "json", shown, "a ranking is shown instead of a plan");
  if (view.dot && !view.svg.empty()) refuse("dot", "svg", "a plan is shown in one form");
}

void print_all_notices(std::ostream& err, std::vector<std::string> notices,
                       const job::Setup& setup) {
  if (setup.options.machine.peer_access && job::describes_machine(setup.options.machine))
    notices.emplace_back(
        "--peer_access has no effect with --platform and --topology, which describe the links");
  print_notices(err, notices);
  print_notices(err, setup.notices);
}

void show(std::ostream& out, std::ostream& err, const PlanView& view, const job::Setup& setup) {
  if (view.svg.empty()) return print(out, view, *job::plan_job(setup).plan);
  draw(setup, view.svg);
  err << "wrote " << view.svg << '\n';
}

}  // namespace

int run_plan_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  PlanView view;
  const auto flags = [&view](RunCommand& command) {
    return plan_flags(view, command.options.machine);
  };
  const std::vector<RefusedFlag> refused =
      flags_of_runs("convoy plan shows a plan and runs nothing");
  if (wants_help(arguments)) {
    out << usage_text(kPlanUsage) + command_help(arguments, flags, refused);
    return static_cast<int>(ExitCode::kOk);
  }
  refuse_flags(arguments, refused);
  JobCommand command = read_command(arguments, flags);
  refuse_views_that_exclude_each_other(view);
  const bool ranks = view.explain || view.json;
  const bool here = job::plans_for_devices_here(command.options.machine);
  command.options.record_timeline = !view.svg.empty();
  if (!view.svg.empty()) check_output_file(view.svg);
  std::optional<Explanation> explanation;
  const job::Setup setup = job::set_up_dry_run(
      std::move(command.options), std::move(command.catalog), {.of_this_machine = here},
      [&](job::Setup& unfinished) {
        if (!ranks) return job::choose_as_run_does(unfinished);
        explanation = explain(unfinished);
        return explanation->decision;
      },
      log_to(err));
  if (explanation) {
    print_explanation(out, setup, *explanation, view.json);
    return static_cast<int>(ExitCode::kOk);
  }
  if (ranks)
    fail(ExitCode::kUsage,
         "--explain and --json show how auto ranks strategies: they need --variable_update=auto");
  print_all_notices(err, command.notices, setup);
  show(out, err, view, setup);
  return static_cast<int>(ExitCode::kOk);
}

}  // namespace convoy::cli
