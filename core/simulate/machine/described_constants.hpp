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

// Returns the constants of a platform's machine.
MachineConstants platform_constants(const topology::Platform& platform,
                                    const topology::Catalogue& catalogue);

// Returns the constants of any machine. It finds devices by their PCI ids or else by their model
// names, and hosts by their processors. A GPU that the catalogue lacks gets an entry without rates:
// its memory is known, and the times of its layers are not. `unknown` then says what to add to the
// catalogue.
MachineConstants machine_constants(const topology::Machine& machine,
                                   const topology::Catalogue& catalogue,
                                   std::vector<std::string>& unknown);

// Returns a sentence about what these constants assume of processors that the catalogue does not
// know, or that the machine does not name; empty if they are known.
std::string assumed_of_processors(const topology::Machine& machine,
                                  const topology::Catalogue& catalogue);

// Reads NAME.json in a folder, or the file at the path `name`. Throws Error (kUsage) with file,
// line and field, or with the known names if the name is unknown.
SoftwareProfile read_software_profile(const std::filesystem::path& folder, const std::string& name);

}  // namespace convoy::simulate
