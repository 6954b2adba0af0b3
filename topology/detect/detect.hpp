#pragma once

#include <filesystem>
#include <string>

#include "core/base/nvml_library.hpp"
#include "topology/detect/gpu_selection.hpp"
#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Where detection looks; tests look elsewhere.
struct DetectSettings {
  std::filesystem::path sysfs = "/sys";
  std::filesystem::path processors = "/proc/cpuinfo";
  std::string nvml = kNvmlFile;
  GpuVariables variables = GpuVariables::of_this_process();
};

// This machine, all of it, as hwloc sees it, with the most that its links can do from sysfs, and
// NVLink, peer access and memory of GPUs from the driver's NVML where that can be loaded. Sources
// that are missing leave facts unknown and a note, as does what this process may not use; there is
// always an answer. When HWLOC_XMLFILE and the like make hwloc show another machine, nothing of
// this one is mixed in.
Machine detect_machine(const DetectSettings& settings = {});

// Sets the rate of each PCI Express link to the lower maximum of its two ends, and the rate of each
// network card to the current speed of its link.
void read_sysfs_speeds(Machine& machine, const std::filesystem::path& sysfs);

// Adds what the library knows of the machine's NVIDIA GPUs, and which of them the variables leave
// to this process; NVLink only where no link is known yet.
void read_nvml(Machine& machine, const std::string& library, const GpuVariables& variables = {});

}  // namespace convoy::topology
