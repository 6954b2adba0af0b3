#pragma once

#include <optional>
#include <string>

namespace convoy::cuda {

// The observed facts about the driver and the devices; look_at_driver() fills them in.
struct DriverFacts {
  std::string library_problem = {};  // why libcuda.so.1 cannot be opened; empty: it can
  int driver_version = 0;            // in CUDA's coding: 13000 is 13.0; 0 = unknown
  int runtime_version = 0;           // the version that this plug-in is built with
  int error = 0;                     // cudaError_t of counting the devices
  std::string error_text = {};
  int devices = 0;
  std::optional<std::string> visible_devices = {};  // CUDA_VISIBLE_DEVICES, when it is set
  // Whether files /dev/nvidia* exist, and one that the process may not open.
  bool has_device_files = false;
  std::string forbidden_file = {};
};

// Returns why no CUDA device can be used, and what to do; empty when at least one can.
std::optional<std::string> unavailable_because(const DriverFacts& facts);

// Returns "12.8" for 12080.
std::string version_text(int version);

}  // namespace convoy::cuda
