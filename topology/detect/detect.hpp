#pragma once

#include <filesystem>
#include <string>

#include "core/base/system/nvml_library.hpp"
#include "topology/detect/gpu_selection.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The places that detection reads. Tests set other ones.
struct DetectSettings {
  std::filesystem::path sysfs = "/sys";
  std::filesystem::path processors = "/proc/cpuinfo";
  std::string nvml = kNvmlFile;
  GpuVariables variables = GpuVariables::of_this_process();
};

// Detects this whole machine: its tree from hwloc, the highest speeds of its links from sysfs, and
// NVLink, peer access and memory of GPUs from NVML if it can be loaded. It always returns a
// machine: if a source is missing or this process may not use it, facts are unknown and a note says
// why. When HWLOC_XMLFILE or a similar variable makes hwloc show another machine, no fact of this
// one is added.
Machine detect_machine(const DetectSettings& settings = {});

// Sets the rate of each PCI Express link to the lower maximum of its two ends, and the rate of each
// network card to the current speed of its link.
void read_sysfs_speeds(Machine& machine, const std::filesystem::path& sysfs);

// Adds what the NVML library knows about the machine's NVIDIA GPUs, and which of them the variables
// leave to this process. It adds NVLink only if no link is known yet.
void read_nvml(Machine& machine, const std::string& library, const GpuVariables& variables = {});

}  // namespace convoy::topology
