#pragma once

#include <optional>
#include <string>

namespace convoy::cuda {

// What was seen of the driver and the devices; filled in by look_at_driver().
struct DriverFacts {
  std::string library_problem = {};  // why libcuda.so.1 cannot be opened; empty: it can
  int driver_version = 0;            // as CUDA writes them: 13000 is 13.0; 0 = unknown
  int runtime_version = 0;           // that this plug-in is built with
  int error = 0;                     // cudaError_t of counting the devices
  std::string error_text = {};
  int devices = 0;
  std::optional<std::string> visible_devices = {};  // CUDA_VISIBLE_DEVICES, when it is set
  // Of the files /dev/nvidia*: whether there are any, and one that may not be opened.
  bool has_device_files = false;
  std::string forbidden_file = {};
};

// Why no CUDA device can be used, and what to do; empty when some can.
std::optional<std::string> unavailable_because(const DriverFacts& facts);

// "12.8" for 12080.
std::string version_text(int version);

}  // namespace convoy::cuda
