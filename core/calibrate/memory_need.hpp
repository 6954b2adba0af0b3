#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/system/memory_limit.hpp"
#include "core/calibrate/probe_networks.hpp"

namespace convoy::calibrate {

// Bytes that a network takes where each of so many devices trains all of it.
double training_bytes(const ProbeNetwork& network, std::uint32_t devices);

// What a calibration trains at the same time.
struct CalibrationLoad {
  std::uint32_t cores = 1;
  std::uint32_t devices = 1;  // of all teams together: every network stays on each of them
  ProbeNetwork check;         // on one device, one per core and two per core
  double also_bytes = 0;      // networks that are asked for, on all devices
};

// Removes the networks that there is no memory for beside those before them, and returns their
// names. The first is needed: without memory for it, Error kUnavailable with the arithmetic. An
// unknown limit refuses nothing.
std::vector<std::string> keep_what_fits(std::vector<ProbeNetwork>& networks,
                                        const CalibrationLoad& load,
                                        const std::optional<MemoryLimit>& limit);

}  // namespace convoy::calibrate
