#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The environment variables that choose GPUs for a process, as far as they are set.
struct GpuVariables {
  std::optional<std::string> visible = {};  // CUDA_VISIBLE_DEVICES
  std::optional<std::string> order = {};    // CUDA_DEVICE_ORDER
  // NVIDIA_VISIBLE_DEVICES, which was set when the container started
  std::optional<std::string> container = {};

  static GpuVariables of_this_process();
};

// A part of a GPU in MIG mode, with the ids that name it.
struct GpuSlice {
  std::string uuid = {};  // "MIG-..."
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
  std::optional<GpuPart> part = {};
};

// A GPU as the driver lists it.
struct DriverGpu {
  PciAddress address = {};
  std::string uuid = {};  // "GPU-..."
  std::string model = {};
  bool split = false;                 // MIG mode: only its slices compute
  std::vector<GpuSlice> slices = {};  // may be none
};

struct ChosenGpu {
  std::size_t gpu = 0;  // its index in the list
  std::optional<std::size_t> slice = {};

  bool operator==(const ChosenGpu&) const = default;
};

struct GpuSelection {
  std::vector<ChosenGpu> chosen;  // in CUDA's numbering: 0, 1, ...
  bool certain = true;   // false: only the driver knows the selection, and `chosen` is empty
  bool numbered = true;  // false: the chosen GPUs are known, but not their order
  std::vector<std::string> remarks;
};

// Returns the GPUs that CUDA gives to a process, by its documented rules. Numbers count in CUDA's
// order. Ids may be cut short as long as they name one GPU. The list ends at the first entry that
// names none. A GPU that is listed twice leaves none. A process gets only one slice.
GpuSelection select_gpus(const GpuVariables& variables, std::span<const DriverGpu> gpus);

}  // namespace convoy::topology
