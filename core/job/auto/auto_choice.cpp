#include "core/job/auto/auto_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/graph/arena.hpp"
#include "core/job/auto/auto_rule.hpp"
#include "core/job/auto/auto_run.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/hardware/plan_target.hpp"
#include "core/job/kernel_attempt.hpp"
#include "core/job/simulation/plan_memory.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/sizes.hpp"
#include "core/plan/step_plan.hpp"
#include "core/runtime/claim.hpp"
#include "core/select/rank_candidates.hpp"

namespace convoy::job {
namespace {

std::vector<std::uint64_t> wanted_bucket_sizes(const Setup& setup,
                                               const SimulatedHardware& hardware) {
  if (setup.options.bucket_mb || hardware.software.bucket_per_variable)
    return {setup.bucket_elements};
  return select::bucket_sizes(graph::Arena(*setup.graph).elements());
}

// Scales the layers so that one device has the rate that the user gave (--images_per_sec). Any
// strategy that plans for one device is suitable, because their steps are nearly the same there.
void fit_rate(const Setup& setup, const SimulatedHardware& hardware,
              const select::SelectionProblem& problem,
              std::span<const select::Candidate> candidates, simulate::Predictor& predictor) {
  if (!setup.options.machine.images_per_second) return;
  std::string refusal;
  for (const select::Candidate& candidate : candidates) {
    try {
      return fit_to_given_rate(setup, hardware, *problem.strategy(candidate),
                               candidate.bucket_elements, predictor);
    } catch (const Error& error) {
      refusal = error.what();
    }
  }
  fail(ExitCode::kUnavailable, "no strategy plans for one device, for which the rate is: {}",
       refusal);
}

// Error if a candidate's plan would take more memory than there is.
void require_room(const Setup& setup, const SimulatedHardware& hardware,
                  const ChoiceSubject& subject, const select::Candidate& candidate,
                  const plan::PlanAuthor& author) {
  const double operations = estimated_operations(subject.hosts, [&](std::uint32_t hosts) {
    const SimulatedTarget few = simulated_target(setup, hardware, hosts, subject.devices);
    const plan::StepPlan plan(
        few.on.cluster, simulated_map(setup, hardware, few.arena, candidate.bucket_elements),
        author, {.guard = guard_options(setup.options), .written_twice = false});
    return plan.lowered().body.size();
  });
  require_memory(operations, subject.hosts, subject.devices);
  require_size(operations, subject.hosts, subject.devices);
}

}  // namespace

ChoiceSubject dry_run_subject(const Setup& setup, const SimulatedHardware& hardware,
                              std::optional<std::uint32_t> devices) {
  if (!has_devices_of(setup.device.get(), hardware))
    return {hardware.hosts, devices.value_or(hardware.most_devices),
            setup.options.batch_size.value_or(setup.model_info.batch_size)};
  const std::uint32_t here = devices ? *devices : count_devices(setup);
  return {hardware.hosts, here, choose_sizes(setup, here).batch};
}

select::Ranking rank_strategies(const Setup& setup, const SimulatedHardware& hardware,
                                const ChoiceSubject& subject) {
  return rank_strategies(setup, hardware, subject,
                         simulated_target(setup, hardware, subject.hosts, subject.devices));
}

select::Ranking rank_strategies(const Setup& setup, const SimulatedHardware& hardware,
                                const ChoiceSubject& subject, const SimulatedTarget& target) {
  simulate::PredictorOptions options = prediction_options(setup, hardware, subject.batch);
  options.simulation.keep_operations = false;
  select::SelectionProblem problem;
  problem.cluster = target.on.cluster;
  problem.kernel_forms = forms_on(setup.device.get(), hardware);
  problem.guard = guard_options(setup.options);
  problem.allows_inexact = setup.options.auto_inexact;
  problem.arena = [&](std::uint64_t elements) {
    return simulated_map(setup, hardware, target.arena, elements);
  };
  problem.strategy = [&](const select::Candidate& candidate) {
    const plugin::FoundPlugin found =
        setup.catalog.find(plugin::PluginKind::kStrategy, candidate.strategy);
    return open_strategy(*setup.host, found, candidate.options);
  };
  problem.accept = [](plugin::StrategyPlugin& strategy, const plan::Plan& logical) {
    runtime::require_manifest(logical, strategy);  // as a run does
  };
  problem.try_kernel = [&](plugin::StrategyPlugin& strategy, const plan::Operation& call) {
    try_kernel_first(setup, strategy.manifest().name, strategy, call);
  };
  const std::vector<select::Candidate> candidates = select::enumerate_candidates(
      installed_strategies(setup.catalog), given_strategy_options(setup),
      wanted_bucket_sizes(setup, hardware));
  simulate::Predictor predictor(*setup.graph, options);
  fit_rate(setup, hardware, problem, candidates, predictor);
  const std::vector<simulate::LayerTimes> layers = predictor.layers(target.on.machine);
  problem.predict = [&](const plan::Plan& lowered) {
    return predictor.predict(lowered, target.on, layers);
  };
  constexpr std::uint32_t kManyDevices = 64;  // all plans for fewer take seconds
  problem.gives_up_smaller_buckets = subject.hosts * subject.devices >= kManyDevices;
  if (is_large_cluster(subject.hosts, subject.devices))
    problem.admit = [&](const select::Candidate& candidate, const plan::PlanAuthor& author) {
      require_room(setup, hardware, subject, candidate, author);
    };
  return select::rank_candidates(candidates, problem);
}

std::string describe_basis(const SimulatedHardware& hardware, const ChoiceSubject& subject) {
  const std::uint32_t devices = subject.hosts * subject.devices;
  const bool nominal = hardware.on_host_processors && !hardware.calibrated;
  return fmt::format("{} of {}{}", counted(devices, "device"), hardware.name,
                     nominal ? ", which is not calibrated" : "");
}

select::Decision choose_by_simulation(const Setup& setup, const SimulatedHardware& hardware,
                                      const ChoiceSubject& subject,
                                      const select::Ranking& ranking) {
  select::Candidate usual;
  try {
    usual = choose_by_rule(setup, hardware).chosen;
  } catch (const Error&) {
    // no rule fits
  }
  return select::decide(ranking, usual, describe_basis(hardware, subject), hardware.calibrated);
}

void refuse_measuring(const JobOptions& options) {
  if (options.auto_mode == AutoMode::kMeasure)
    fail(ExitCode::kUsage,
         "--auto=measure tries strategies while it trains, and nothing is trained here; convoy run "
         "--auto=measure does so. --auto=simulate is its first part");
}

select::Decision choose_for_dry_run(const Setup& setup, std::optional<std::uint32_t> devices) {
  refuse_measuring(setup.options);
  const SimulatedHardware hardware = choose_simulated_hardware(setup);
  if (setup.options.auto_mode == AutoMode::kRule) return choose_by_rule(setup, hardware);
  const ChoiceSubject subject = dry_run_subject(setup, hardware, devices);
  return choose_by_simulation(setup, hardware, subject, rank_strategies(setup, hardware, subject));
}

select::Decision choose_as_run_does(Setup& setup) {
  refuse_measuring(setup.options);
  if (describes_machine(setup.options.machine))
    return choose_for_dry_run(setup, setup.options.num_devices);
  if (setup.options.machine.software)
    fail(ExitCode::kUsage,
         "--software={}: a run is convoy's own; other software is for machines that --platform or "
         "--topology describe",
         *setup.options.machine.software);
  if (setup.device != nullptr && plans_for_this_machine(setup.options.machine))
    return choose_for_run(setup);
  fail(ExitCode::kUsage,
       "--variable_update=auto needs to know a machine's speed, and these flags only name devices "
       "and hosts: name a strategy, or a machine with --platform or --topology");
}

}  // namespace convoy::job
