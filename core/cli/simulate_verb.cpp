#include "core/cli/simulate_verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "core/base/error.hpp"
#include "core/base/output_file.hpp"
#include "core/cli/auto_choice.hpp"
#include "core/cli/cluster_flags.hpp"
#include "core/cli/device_counts.hpp"
#include "core/cli/plan_ground.hpp"
#include "core/cli/simulated_hardware.hpp"
#include "core/cli/simulated_run.hpp"
#include "core/cli/simulation_report.hpp"
#include "core/cli/simulation_trace.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/simulate/collectives/collective_library.hpp"

namespace convoy {
namespace {

class Simulation {
 public:
  Simulation(RunSetup& setup, std::vector<std::uint32_t> counts, std::ostream& err)
      : setup_(setup), hardware_(choose_simulated_hardware(setup)), counts_(std::move(counts)) {
    if (!setup.flags->optional_number("images_per_sec"))
      for (const std::string& notice : hardware_.notices) err << "convoy: " << notice << '\n';
    const auto asked = counts_.empty() ? std::nullopt : std::optional(counts_.back());
    const ChoiceSubject subject = imagined_subject(setup_, hardware_, asked);
    if (counts_.empty()) counts_.push_back(subject.devices);
    subject_.batch = subject.batch;
    subject_.hosts = subject.hosts;
    subject_.machine = hardware_.name;
    const simulate::SoftwareProfile& software = hardware_.software;
    subject_.software = software.source.empty()
                            ? software.name
                            : fmt::format("{} ({})", software.name, software.source);
    subject_.collectives =
        software.collectives == nullptr
            ? "one ring, as this software makes them"
            : fmt::format("{} ({})", software.collectives->name, software.collectives->source);
  }

  int execute(std::ostream& out) {
    simulate::Predictor predictor(*setup_.graph,
                                  predictor_options(setup_, hardware_, subject_.batch));
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
  // What a run would execute there.
  SimulatedCount planned(std::uint32_t hosts, std::uint32_t devices) const {
    SimulatedGround ground = simulated_ground(setup_, hardware_, hosts, devices);
    ArenaMap map = simulated_map(setup_, hardware_, ground.arena, setup_.options.bucket_elements());
    SimulatedCount count;
    count.on = std::make_unique<simulate::SimulatedCluster>(std::move(ground.on));
    count.plan =
        std::make_unique<StepPlan>(count.on->cluster, std::move(map), author_of(*setup_.strategy),
                                   StepPlanOptions{.guard = setup_.options.guard});
    return count;
  }

  std::vector<SimulatedCount> predict(simulate::Predictor& predictor) {
    const std::optional<double> rate = setup_.flags->optional_number("images_per_sec");
    subject_.rates = rate ? fmt::format("{} images/sec of one device", *rate) : hardware_.rates;
    if (rate) {
      const SimulatedCount one = planned(1, 1);
      predictor.fit(one.plan->lowered(), *one.on, *rate);
    }
    std::vector<SimulatedCount> counts;
    for (const std::uint32_t count : counts_) {
      counts.push_back(planned(hardware_.hosts, count));
      SimulatedCount& it = counts.back();
      it.prediction = predictor.predict(it.plan->lowered(), *it.on);
    }
    one_device_rate_ = rate ? *rate : predicted_rate(predictor);
    return counts;
  }

  // Strategies may refuse one device: then the layers alone count.
  double predicted_rate(const simulate::Predictor& predictor) const {
    try {
      const SimulatedCount one = planned(1, 1);
      return predictor.predict(one.plan->lowered(), *one.on).images_per_second;
    } catch (const Error&) {
      const simulate::SimulatedCluster one = hardware_.cluster(1, 1);
      return subject_.batch / predictor.layers(one.machine).front().seconds();
    }
  }

  void write_files(const std::vector<SimulatedCount>& counts) const {
    const RunOptions& options = setup_.options;
    if (!options.output_file.empty())
      write_output_file(options.output_file,
                        simulation_json(setup_, subject_, counts, one_device_rate_));
    if (!options.trace_file.empty() && counts.back().prediction.step)
      write_trace(simulation_trace(counts.back()), options.trace_file);
  }

  RunSetup& setup_;
  SimulatedHardware hardware_;
  std::vector<std::uint32_t> counts_;
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
  RunSetup setup = set_up_imagined_run(
      counts.arguments, {simulation_flags(), plans_for_this_machine, true},
      [&](const RunSetup& it) {
        return choose_imagined(
            it, counts.counts.empty() ? std::nullopt : std::optional(counts.counts.back()));
      },
      log_to(err));
  check_files(setup.options);
  for (const std::string& notice : setup.notices) err << "convoy: " << notice << '\n';
  return Simulation(setup, counts.counts, err).execute(out);
}

}  // namespace convoy
