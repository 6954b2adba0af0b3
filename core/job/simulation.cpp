#include "core/job/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/job/auto_choice.hpp"
#include "core/job/plan_ground.hpp"
#include "core/job/prediction_options.hpp"
#include "core/job/simulated_hardware.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/simulate/collectives/collective_library.hpp"

namespace convoy::job {
namespace {

class Simulator {
 public:
  Simulator(const Setup& setup, std::vector<std::uint32_t> counts)
      : setup_(setup),
        hardware_(choose_simulated_hardware(setup)),
        rate_(setup.options.machine.images_per_second),
        counts_(std::move(counts)) {
    if (!rate_) result_.notices = hardware_.notices;
    const auto asked = counts_.empty() ? setup.options.num_devices : counts_.back();
    const ChoiceSubject subject = imagined_subject(setup_, hardware_, asked);
    if (counts_.empty()) counts_.push_back(subject.devices);
    result_.batch = subject.batch;
    result_.hosts = subject.hosts;
    result_.machine = hardware_.name;
    result_.rates = rate_ ? fmt::format("{} images/sec of one device", *rate_) : hardware_.rates;
    const simulate::SoftwareProfile& software = hardware_.software;
    result_.software = software.source.empty()
                           ? software.name
                           : fmt::format("{} ({})", software.name, software.source);
    result_.collectives =
        software.collectives == nullptr
            ? "one ring, as this software makes them"
            : fmt::format("{} ({})", software.collectives->name, software.collectives->source);
  }

  Simulation run() {
    simulate::Predictor predictor(*setup_.graph,
                                  prediction_options(setup_, hardware_, result_.batch));
    if (rate_) {
      const SimulatedRun one = planned(1, 1);
      predictor.fit(one.plan->lowered(), *one.on, *rate_);
    }
    for (const std::uint32_t count : counts_) {
      SimulatedRun& it = result_.runs.emplace_back(planned(hardware_.hosts, count));
      note_unproved(it.plan->check());
      it.prediction = predictor.predict(it.plan->lowered(), *it.on);
    }
    result_.one_device_rate = rate_ ? *rate_ : predicted_rate(predictor);
    return std::move(result_);
  }

 private:
  void note_unproved(const CheckReport& report) {
    const std::string notice = unproved_notice(setup_.strategy->manifest(), report);
    std::vector<std::string>& all = result_.notices;
    if (!notice.empty() && std::find(all.begin(), all.end(), notice) == all.end())
      all.push_back(notice);
  }

  // What a run would execute there.
  SimulatedRun planned(std::uint32_t hosts, std::uint32_t devices) const {
    SimulatedGround ground = simulated_ground(setup_, hardware_, hosts, devices);
    ArenaMap map = simulated_map(setup_, hardware_, ground.arena, setup_.bucket_elements);
    SimulatedRun run;
    run.on = std::make_unique<simulate::SimulatedCluster>(std::move(ground.on));
    run.plan =
        std::make_unique<StepPlan>(run.on->cluster, std::move(map), author_of(*setup_.strategy),
                                   StepPlanOptions{.guard = setup_.guard});
    require_claim(setup_.strategy->manifest(), run.plan->logical(), run.plan->check());
    return run;
  }

  // Strategies may refuse one device: then the layers alone count.
  double predicted_rate(const simulate::Predictor& predictor) const {
    try {
      const SimulatedRun one = planned(1, 1);
      return predictor.predict(one.plan->lowered(), *one.on).images_per_second;
    } catch (const Error&) {
      const simulate::SimulatedCluster one = hardware_.cluster(1, 1);
      return result_.batch / predictor.layers(one.machine).front().seconds();
    }
  }

  const Setup& setup_;
  SimulatedHardware hardware_;
  std::optional<double> rate_;
  std::vector<std::uint32_t> counts_;
  Simulation result_;
};

}  // namespace

Simulation simulate_job(const Setup& setup, const std::vector<std::uint32_t>& counts) {
  return Simulator(setup, counts).run();
}

}  // namespace convoy::job
