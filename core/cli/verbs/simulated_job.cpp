#include "core/cli/verbs/simulated_job.hpp"

#include <ostream>

#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/cli/flags/sweep_axes.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/described_hosts.hpp"

namespace convoy::cli {

namespace {

std::vector<FlagDefinition> export_flags(SimulateRequest& request) {
  FlagDefinition form = custom_flag(
      "export", FlagType::kEnum, {},
      [&request](const std::string& name) { request.exports_chakra = name == "chakra"; },
      "Writes the simulated step for other programs: chakra = MLCommons Chakra execution traces "
      "for ASTRA-sim, one file PREFIX.RANK.et for each rank.");
  form.allowed = {"chakra"};
  FlagDefinition prefix = bind_flag("export_prefix", request.export_prefix,
                                    "Path and beginning of the names of the exported files.");
  form.group = prefix.group = "Reports";
  return {std::move(form), std::move(prefix)};
}

}  // namespace

VerbFlags simulate_flags(SimulateRequest& request) {
  return [&request](RunCommand& command) {
    std::vector<FlagDefinition> machine = simulation_flags(command.options.machine);
    std::erase_if(machine, [](const FlagDefinition& flag) { return flag.name == "hosts"; });
    return joined({std::move(machine), swept_number_flags(command.options),
                   device_count_flags(command, request.counts), export_flags(request)});
  };
}

job::Setup set_up_simulation(JobCommand& command, std::ostream& err) {
  const bool here = job::plans_for_this_machine(command.options.machine);
  return job::set_up_dry_run(
      std::move(command.options), std::move(command.catalog),
      {.of_this_machine = here, .does_without_devices = true},
      [](const job::Setup& it) { return job::choose_for_dry_run(it, it.options.num_devices); },
      log_to(err));
}

}  // namespace convoy::cli
