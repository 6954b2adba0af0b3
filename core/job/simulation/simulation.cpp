#include "core/job/simulation/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/process/in_parallel.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/plan_target.hpp"
#include "core/job/options.hpp"
#include "core/job/simulation/plan_memory.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/plan/lower/lowering.hpp"
#include "core/plan/plan_writer.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/simulate/collectives/collective_library.hpp"

namespace convoy::job {
namespace {

// With more devices than kMostProved, a plan for fewer hosts is proved instead, because the proof
// of a plan for many hosts takes longer than its simulation.
constexpr std::uint32_t kMostProved = 256;   // devices
constexpr std::uint32_t kProvedOfMore = 64;  // number of devices, on at least two hosts

std::uint32_t proved_hosts(std::uint32_t hosts, std::uint32_t devices) {
  if (std::uint64_t{hosts} * devices <= kMostProved) return hosts;
  return std::min(hosts, std::max(kProvedOfMore / devices, 2u));
}

double to_bucket_mb(std::uint64_t elements) {
  return static_cast<double>(elements * sizeof(float)) / (1 << 20);
}

std::string dtype_of(simulate::Arithmetic arithmetic) {
  switch (arithmetic) {
    case simulate::Arithmetic::kHalf:
      return "half";
    case simulate::Arithmetic::kTf32:
      return "tf32";
    default:
      return "f32";
  }
}

// The next caller of lowered() gets the error. So errors about the claim come first.
void lower_unless_impossible(const plan::StepPlan& plan) {
  try {
    plan.lowered();
  } catch (const Error&) {
  }
}

// Returns the library with which the devices reduce, and the source of its constants.
std::string collectives_of(const SimulatedHardware& hardware) {
  const simulate::CollectiveLibrary* library = hardware.software.collectives.get();
  if (library == nullptr) return "one ring, as this software makes them";
  return library->described(hardware.cluster(1, 1).machine.devices.front().generation);
}

}  // namespace

PlannedSimulation::PlannedSimulation(const Setup& setup, std::vector<std::uint32_t> counts)
    : setup_(setup),
      hardware_(choose_simulated_hardware(setup)),
      given_rate_(setup.options.machine.images_per_second) {
  // For this machine's processors, the notices are about the rates of layers, which a given rate
  // replaces.
  if (!given_rate_ || !hardware_.on_host_processors) result_.notices = hardware_.notices;
  if (!given_rate_ && !setup.options.winograd)
    result_.notices.emplace_back(
        "--winograd_nonfused=false has no effect on the prediction, and a run takes longer: 3x3 "
        "and 5x5 convolutions are given the time of the library's usual algorithms");
  const auto asked = counts.empty() ? setup.options.num_devices : counts.back();
  const ChoiceSubject subject = dry_run_subject(setup_, hardware_, asked);
  if (counts.empty()) counts.push_back(subject.devices);
  result_.batch = subject.batch;
  result_.hosts = subject.hosts;
  result_.machine = hardware_.name;
  result_.compute_dtype = dtype_of(arithmetic(setup_.options, hardware_));
  result_.rates =
      given_rate_ ? fmt::format("{} images/sec of one device", *given_rate_) : hardware_.rates;
  const simulate::SoftwareProfile& software = hardware_.software;
  result_.software = software.source.empty()
                         ? software.name
                         : fmt::format("{} ({})", software.name, software.source);
  result_.collectives = collectives_of(hardware_);
  plan_one_device();
  for (const std::uint32_t count : counts) {
    if (is_large_cluster(hardware_.hosts, count)) estimate_memory(count);
    SimulatedRun& run = result_.runs.emplace_back(planned(hardware_.hosts, count));
    if (hardware_.threads) run.threads = hardware_.threads(count);
    note_proof(run);
  }
}

void PlannedSimulation::note_proof(const SimulatedRun& run) {
  const plugin::Manifest& strategy = setup_.strategy->manifest();
  const auto note = [&](const std::string& notice) {
    if (!notice.empty() && std::ranges::find(result_.notices, notice) == result_.notices.end())
      result_.notices.push_back(notice);
  };
  note(runtime::unproved_notice(strategy, run.plan->check()));
  if (run.proved_hosts < run.on->cluster.hosts)
    note(
        fmt::format("strategy {} was checked for {} of the {} hosts: a proof for all takes longer "
                    "than their simulation; training begins with one",
                    strategy.name, run.proved_hosts, run.on->cluster.hosts));
}

Simulation PlannedSimulation::predict(bool keep_operations) {
  simulate::PredictorOptions options = prediction_options(setup_, hardware_, result_.batch);
  options.simulation.keep_operations |= keep_operations;
  simulate::Predictor predictor(*setup_.graph, options);
  if (given_rate_) predictor.fit(one_device_->plan->lowered(), *one_device_->on, *given_rate_);
  for (SimulatedRun& it : result_.runs) {
    it.layers = predictor.layers(it.on->machine);
    const plan::Plan& lowered = it.plan->lowered();
    side_by_side(
        lowered.body.size(), [&] { it.prediction = predictor.predict(lowered, *it.on, it.layers); },
        [&] {
          it.plan->keep_lowered_only();
          it.plan->hash();
        });
  }
  result_.one_device_rate = given_rate_ ? *given_rate_ : predicted_rate(predictor);
  return std::move(result_);
}

// Estimates before the plan is made, because the system kills a process that takes too much memory,
// without a message.
void PlannedSimulation::estimate_memory(std::uint32_t devices) const {
  const double operations = estimated_operations(hardware_.hosts, [&](std::uint32_t hosts) {
    return written(hosts, devices, setup_.bucket_elements, {.written_twice = false})
        .plan->lowered()
        .body.size();
  });
  require_memory(operations, hardware_.hosts, devices);
  require_size(operations, hardware_.hosts, devices, [&] {
    return fitting_buckets(setup_.options.bucket_mb.value_or(kDefaultBucketMb),
                           to_bucket_mb(setup_.graph->parameter_count()),
                           [&](double bucket_mb) { return estimated(devices, bucket_mb); });
  });
}

// Returns the estimated number of operations of the lowered plan. The author's plan has a lower
// limit, so its operations count more: the larger of the two decides.
double PlannedSimulation::estimated(std::uint32_t devices, double bucket_mb) const {
  constexpr std::uint64_t kFewer =
      plan::kMaximumLoweredOperations / plan::PlanWriter::kMaximumOperations;
  JobOptions options = setup_.options;
  options.bucket_mb = bucket_mb;
  return estimated_operations(hardware_.hosts, [&](std::uint32_t hosts) {
    const SimulatedRun run =
        written(hosts, devices, bucket_elements(options), {.written_twice = false});
    return std::max(run.plan->lowered().body.size(), kFewer * run.plan->logical().body.size());
  });
}

// Returns the plan that a run would execute there, with its claim checked. Plug-ins need not be
// thread-safe, so they write one plan after the other, first the one for fewer hosts. Its proof
// runs while the plan for all hosts is written. That plan is lowered while it is written again.
SimulatedRun PlannedSimulation::planned(std::uint32_t hosts, std::uint32_t devices) const {
  const std::optional<SimulatedRun> fewer = written_for_fewer(hosts, devices);
  SimulatedRun run;
  if (!fewer) {
    run = written(hosts, devices, setup_.bucket_elements, {});
    require_forms(run);
  } else {
    in_parallel(2, [&](std::size_t i) {
      if (i == 0)
        fewer->plan->check();
      else
        run = lowered_like(*fewer, hosts, devices);
    });
    run.plan->take_check(fewer->plan->check());
  }
  run.proved_hosts = fewer ? fewer->on->cluster.hosts : hosts;
  runtime::require_claim(setup_.strategy->manifest(), (fewer ? *fewer : run).plan->logical(),
                         run.plan->check());
  return run;
}

// Reserves room for the expected operations. Their number grows with the hosts, and a little faster
// if a part of the traffic of few hosts stays inside them. Reserved memory that is not needed is
// never touched.
SimulatedRun PlannedSimulation::lowered_like(const SimulatedRun& fewer, std::uint32_t hosts,
                                             std::uint32_t devices) const {
  const std::size_t per_hosts = fewer.plan->logical().body.size() * hosts;
  const std::size_t operations = per_hosts / fewer.on->cluster.hosts;
  SimulatedRun run =
      written(hosts, devices, setup_.bucket_elements,
              {.written_twice = false, .expected_operations = operations + operations / 4});
  side_by_side(
      run.plan->logical().body.size(),
      [&] { run.plan->write_again(runtime::author_of(*setup_.strategy)); },
      [&] { lower_unless_impossible(*run.plan); });
  require_forms(run);
  return run;
}

// Checks that the plan's kernels exist in the forms that its devices need.
void PlannedSimulation::require_forms(const SimulatedRun& run) const {
  for (const plan::Operation* call : plan::called_kernels(run.plan->logical()))
    plugin::require_form(*setup_.strategy, call->details->kernel,
                         forms_on(setup_.device.get(), hardware_));
}

// With guards the whole plan is proved, because what the host adds around updates depends on the
// proof of the plan itself.
std::optional<SimulatedRun> PlannedSimulation::written_for_fewer(std::uint32_t hosts,
                                                                 std::uint32_t devices) const {
  const std::uint32_t fewer = proved_hosts(hosts, devices);
  if (fewer == hosts || guard_options(setup_.options).changes_plans()) return std::nullopt;
  try {
    return written(fewer, devices, setup_.bucket_elements, {.written_twice = false});
  } catch (const Error&) {
    return std::nullopt;  // the strategy may need more hosts
  }
}

SimulatedRun PlannedSimulation::written(std::uint32_t hosts, std::uint32_t devices,
                                        std::uint64_t bucket_elements,
                                        plan::StepPlanOptions options) const {
  SimulatedTarget target = simulated_target(setup_, hardware_, hosts, devices);
  plan::ArenaMap map = simulated_map(setup_, hardware_, target.arena, bucket_elements);
  options.guard = guard_options(setup_.options);
  SimulatedRun run;
  run.on = std::make_unique<simulate::SimulatedCluster>(std::move(target.on));
  run.plan = std::make_unique<plan::StepPlan>(run.on->cluster, std::move(map),
                                              runtime::author_of(*setup_.strategy), options);
  return run;
}

void PlannedSimulation::plan_one_device() {
  try {
    one_device_ = planned(1, 1);
  } catch (const Error&) {
    if (given_rate_) throw;
  }
}

// If the strategy refuses one device, the layers alone count.
double PlannedSimulation::predicted_rate(const simulate::Predictor& predictor) const {
  try {
    if (one_device_)
      return predictor.predict(one_device_->plan->lowered(), *one_device_->on).images_per_second;
  } catch (const Error&) {
    // the plan cannot be lowered with what the options add to it
  }
  const simulate::SimulatedCluster one = hardware_.cluster(1, 1);
  return result_.batch / predictor.layers(one.machine).front().seconds();
}

SimulatedJob simulated_job(const Simulation& simulation) {
  const SimulatedRun& run = simulation.runs.front();
  CONVOY_CHECK(run.prediction.step.has_value());
  SimulatedJob result;
  result.machine = simulation.machine;
  result.devices = run.prediction.devices;
  result.images_per_second = run.prediction.images_per_second;
  result.step_seconds = run.prediction.step->step_seconds;
  result.compute_seconds = run.prediction.step->compute_seconds;
  result.exposed_seconds = run.prediction.step->exposed_seconds;
  result.bottleneck = run.prediction.step->bottleneck;
  result.plan_hash = run.plan->hash();
  return result;
}

Simulation simulate_job(const Setup& setup, const std::vector<std::uint32_t>& counts,
                        bool keep_operations) {
  return PlannedSimulation(setup, counts).predict(keep_operations);
}

}  // namespace convoy::job
