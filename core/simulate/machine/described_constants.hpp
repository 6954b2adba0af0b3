#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/simulate/machine/constants.hpp"
#include "core/simulate/machine/machine_builder.hpp"
#include "topology/catalogue/catalogue.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::simulate {

SimulatedDevice simulated_device(const topology::DeviceEntry& entry);
SimulatedHost simulated_host(const topology::HostEntry& entry);

// The constants of a platform's machine.
MachineConstants platform_constants(const topology::Platform& platform,
                                    const topology::Catalogue& catalogue);

// The constants of any machine: devices by their PCI ids, else by their model names, hosts by their
// processors. A GPU that the catalogue does not have gets an entry without rates: its memory is
// known, its layers' times are not; `unknown` says what to add.
MachineConstants machine_constants(const topology::Machine& machine,
                                   const topology::Catalogue& catalogue,
                                   std::vector<std::string>& unknown);

// NAME.json of a folder, or the file that `name` is a path of. Throws Error (kUsage) with file,
// line and field; for an unknown name with the names there are.
SoftwareProfile read_software_profile(const std::filesystem::path& folder, const std::string& name);

}  // namespace convoy::simulate
