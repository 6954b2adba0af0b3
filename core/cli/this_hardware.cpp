#include "core/cli/this_hardware.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/calibrate/nominal_rates.hpp"
#include "core/plugin/search_path.hpp"
#include "core/simulate/described_constants.hpp"

namespace convoy {

SimulatedHardware this_machine_hardware(const RunSetup& setup) {
  const std::filesystem::path share = executable_directory() / "../share/convoy";
  const calibrate::ProcessorFacts facts = calibrate::read_processor_facts();
  const auto rates =
      calibrate::nominal_rates(facts, topology::Catalogue::read(share / "catalogue"));
  const auto threads = static_cast<std::uint32_t>(setup.options.threads_per_device);
  SimulatedHardware hardware;
  hardware.name = fmt::format("{} cores of this machine ({})", facts.cores, facts.model);
  hardware.device = "cpu";
  hardware.most_devices = facts.cores;
  hardware.rates = rates.source;
  hardware.software = simulate::read_software_profile(share / "profiles", "convoy");
  hardware.cluster = [=](std::uint32_t, std::uint32_t devices) {
    return calibrate::nominal_cluster(facts, rates, devices, threads);
  };
  hardware.notices.push_back(
      fmt::format("this machine was not measured, its rates are {}: a prediction may be wrong by "
                  "half; --images_per_sec takes the measured rate of one device",
                  rates.source));
  return hardware;
}

}  // namespace convoy
