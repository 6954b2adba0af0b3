#pragma once

#include <span>
#include <vector>

#include "core/base/system/nvml_library.hpp"
#include "topology/detect/gpu_selection.hpp"

namespace convoy::topology {

// Returns the GPUs that the driver shows to this process, with their slices (MIG).
std::vector<DriverGpu> driver_gpus(const NvmlLibrary& library);

// Adds to the machine's NVIDIA GPUs their ids, and which of them this process can use under which
// number. GPUs are matched by address. What is not certain becomes a note.
void mark_usable_gpus(Machine& machine, const GpuVariables& variables,
                      std::span<const DriverGpu> gpus);

}  // namespace convoy::topology
