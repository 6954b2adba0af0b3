#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/base/system/dynamic_libraries.hpp"
#include "core/base/system/gpu_monitor.hpp"
#include "core/base/system/system_root.hpp"
#include "core/qualify/core_probe.hpp"
#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// The number of times that each core was slowed down since the system started because it was too
// hot, for cores for which the system counts this. Read it before and after measuring.
using ThrottleCounts = std::map<unsigned, std::int64_t>;
ThrottleCounts read_throttle_counts(const SystemRoot& root, const std::vector<unsigned>& cores);
void add_throttle_clues(const ThrottleCounts& before, const ThrottleCounts& after,
                        const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues);

// Adds cores that other processes used, and the devices that include these cores.
void add_core_clues(const std::vector<CoreRate>& rates, const std::vector<QualifiedDevice>& devices,
                    std::vector<Clue>& clues);

// Adds cores whose frequency is limited to less than their maximum.
void add_frequency_clues(const SystemRoot& root, const std::vector<unsigned>& cores,
                         const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues);

// Adds devices whose memory is on another NUMA node than their cores, and GPUs with no core of this
// process nearby.
void add_numa_clues(const SystemRoot& root, const std::vector<QualifiedDevice>& devices,
                    const std::vector<unsigned>& allowed_cores, std::vector<Clue>& clues);

// Adds the warnings of `convoy doctor` that may explain a low rate: processors, governor, memory,
// width of links, IOMMU and access between GPUs.
void add_system_clues(const SystemRoot& root, const DynamicLibraries& libraries,
                      const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues);

// Adds what limited the clocks of GPUs while they were measured.
void add_gpu_clues(const std::vector<GpuReadings>& readings,
                   const std::vector<QualifiedDevice>& devices, std::vector<Clue>& clues);

}  // namespace convoy::qualify
