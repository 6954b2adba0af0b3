#include <convoy/job.hpp>

#include <sstream>
#include <utility>

#include "core/base/error.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/job_plan.hpp"
#include "core/job/openmp_environment.hpp"
#include "core/job/options.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulation/simulation.hpp"
#include "core/job/training/run.hpp"
#include "core/network/addresses.hpp"
#include "core/plan/print/print.hpp"
#include "core/plugin/catalog.hpp"

namespace convoy {
namespace {

// Passes events of a run on to the observer of a program that uses the library.
class Listener : public report::RunObserver {
 public:
  explicit Listener(JobObserver& observer) : observer_(observer) {}

  void timed_step(const TrainingStep& step) override { observer_.timed_step(step); }
  void notice(const std::string& text) override { observer_.notice(text); }
  ExitCode interruption() const override {
    return observer_.stop_requested() ? ExitCode::kInterrupted : ExitCode::kOk;
  }

 private:
  JobObserver& observer_;
};

job::Setup dry_run(const JobOptions& options, job::DryRun how,
                   const std::function<select::Decision(job::Setup&)>& choose) {
  return job::set_up_dry_run(options, plugin::installed_plugins(options.plugin_path), how, choose,
                             {});
}

std::string logical_text(const plan::StepPlan& plan) {
  std::ostringstream text;
  plan::print_plan(text, plan.logical());
  return text.str();
}

std::string lowered_text(const plan::StepPlan& plan) {
  std::ostringstream text;
  plan::print_lowered(text, plan);
  return text.str();
}

}  // namespace

Job::Job(JobOptions options) : options_(std::move(options)) {
  job::check_options(options_);
}

Job::~Job() = default;

JobResult Job::run() {
  JobObserver nobody;
  return run(nobody);
}

JobResult Job::run(JobObserver& observer) {
  job::set_openmp_environment();
  network::resolve_names_by_system();
  Listener listener(observer);
  job::Setup setup = job::set_up_run(options_, plugin::installed_plugins(options_.plugin_path),
                                     job::log_to(listener));
  report::RunRecord record = job::run(setup, listener);
  return static_cast<JobResult&&>(record);
}

PlannedJob Job::plan() const {
  const bool here = job::plans_for_devices_here(options_.machine);
  const job::Setup setup = dry_run(options_, {.of_this_machine = here}, job::choose_as_run_does);
  const job::JobPlan planned = job::plan_job(setup);
  const plan::StepPlan& plan = *planned.plan;
  PlannedJob result;
  result.strategy =
      select::flags_of({setup.strategy->manifest().name, setup.strategy->options(), 0});
  result.verdict = plan.check().verdict_text();
  result.right = plan.check().verdict != plan::check::Verdict::kWrong;
  result.hash = plan.hash();
  result.logical = logical_text(plan);
  result.lowered = lowered_text(plan);
  return result;
}

SimulatedJob Job::simulate() const {
  const bool here = job::plans_for_this_machine(options_.machine);
  const job::Setup setup = dry_run(
      options_, {.of_this_machine = here, .does_without_devices = true},
      [](const job::Setup& it) { return job::choose_for_dry_run(it, it.options.num_devices); });
  const job::Simulation simulation = job::simulate_job(setup, {});
  const simulate::Prediction& prediction = simulation.runs.front().prediction;
  if (!prediction.step)
    fail(ExitCode::kUnavailable, "this does not fit: {}; a smaller batch needs less",
         prediction.problem);
  return job::simulated_job(simulation);
}

}  // namespace convoy
