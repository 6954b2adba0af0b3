#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// The variables that choose GPUs for a process, where they are set.
struct GpuVariables {
  std::optional<std::string> visible = {};    // CUDA_VISIBLE_DEVICES
  std::optional<std::string> order = {};      // CUDA_DEVICE_ORDER
  std::optional<std::string> container = {};  // NVIDIA_VISIBLE_DEVICES, of a container's start

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
  std::size_t gpu = 0;  // its place in the list
  std::optional<std::size_t> slice = {};

  bool operator==(const ChosenGpu&) const = default;
};

struct GpuSelection {
  std::vector<ChosenGpu> chosen;  // as CUDA numbers them: 0, 1, ...
  bool certain = true;            // false: only the driver knows, and `chosen` is empty
  bool numbered = true;           // false: which are chosen is known, their order is not
  std::vector<std::string> remarks;
};

// Which of the GPUs CUDA gives to a process, by its documented rules: numbers count in CUDA's
// order, ids may be cut short as long as they name one GPU, the list ends at the first entry that
// names none, a GPU that is listed twice leaves none, and a slice is all that a process gets.
GpuSelection select_gpus(const GpuVariables& variables, std::span<const DriverGpu> gpus);

}  // namespace convoy::topology
