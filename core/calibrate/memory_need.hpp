#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/system/memory_limit.hpp"
#include "core/calibrate/probe_networks.hpp"

namespace convoy::calibrate {

// Returns the bytes that a network needs if each of `devices` devices trains all of it.
double training_bytes(const ProbeNetwork& network, std::uint32_t devices);

// What a calibration trains, with all that it keeps in memory at the same time.
struct CalibrationLoad {
  std::uint32_t cores = 1;
  std::uint32_t devices = 1;  // devices of all teams together; every network stays on each of them
  ProbeNetwork check;         // runs on one device, one per core and two per core
  double also_bytes = 0;      // bytes of further requested networks, on all devices
};

// Removes the networks that do not fit into memory together with those before them, and returns
// their names. The first network is required: Error kUnavailable, with the arithmetic, if it does
// not fit. An unknown limit removes nothing.
std::vector<std::string> keep_what_fits(std::vector<ProbeNetwork>& networks,
                                        const CalibrationLoad& load,
                                        const std::optional<MemoryLimit>& limit);

}  // namespace convoy::calibrate
