#pragma once

#include <filesystem>

#include "core/cli/simulated_hardware.hpp"

namespace convoy {

// The GPUs of the machine in --topology's file, else of this one, with the catalogue's constants
// for them and the processors. Error kUsage where there are no GPUs, several hosts, or a GPU of
// which the catalogue knows no speed, unless --images_per_sec gives it.
SimulatedHardware topology_hardware(const RunSetup& setup, const std::filesystem::path& share);

}  // namespace convoy
