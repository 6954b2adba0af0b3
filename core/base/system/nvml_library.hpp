#pragma once

#include <memory>
#include <string>

#include "core/base/system/dynamic_libraries.hpp"

namespace convoy {

// The part of NVIDIA's management library that tells how GPUs are connected and what they are
// doing. Functions and arguments are as its documentation gives them. The library is present only
// with a driver, so it is loaded at run time.
struct NvmlPciInfo {
  char legacy_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned device_id;  // device in the upper half, vendor in the lower half
  unsigned subsystem_id;
  char bus_id[32];
};

struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};

// The part of a GPU that belongs to a slice (MIG).
struct NvmlSliceAttributes {
  unsigned multiprocessors;
  unsigned copy_engines;
  unsigned decoders;
  unsigned encoders;
  unsigned jpeg_engines;
  unsigned optical_flow_engines;
  unsigned gpu_slices;
  unsigned compute_slices;
  unsigned long long memory_megabytes;  // in units of 2^20 bytes
};

struct NvmlDevice;  // opaque

// The name under which NVIDIA's driver installs it.
inline constexpr const char* kNvmlFile = "libnvidia-ml.so.1";
inline constexpr unsigned kNvmlLinks = 18;    // NVML_NVLINK_MAX_LINKS
inline constexpr unsigned kNvmlPeerRead = 0;  // NVML_P2P_CAPS_INDEX_READ
// More than any machine has. A larger count comes from a broken library and is not believed.
inline constexpr unsigned kMostNvmlDevices = 1024;

class NvmlLibrary {
 public:
  // Returns null if the library does not exist or does not start, with the cause in `reason`.
  static std::unique_ptr<NvmlLibrary> open(const std::string& file,
                                           const DynamicLibraries& libraries, std::string& reason);
  // Opens it among the system's libraries.
  static std::unique_ptr<NvmlLibrary> open(const std::string& file);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // Functions return 0 for success. Functions that old libraries lack are null.
  int (*count)(unsigned*) = nullptr;
  int (*device)(unsigned, NvmlDevice**) = nullptr;
  int (*pci)(NvmlDevice*, NvmlPciInfo*) = nullptr;
  int (*name)(NvmlDevice*, char*, unsigned) = nullptr;
  int (*memory)(NvmlDevice*, NvmlMemory*) = nullptr;
  int (*link_state)(NvmlDevice*, unsigned, unsigned*) = nullptr;
  int (*link_version)(NvmlDevice*, unsigned, unsigned*) = nullptr;
  int (*link_remote)(NvmlDevice*, unsigned, NvmlPciInfo*) = nullptr;
  int (*link_remote_kind)(NvmlDevice*, unsigned, unsigned*) = nullptr;
  int (*peer_status)(NvmlDevice*, NvmlDevice*, unsigned, unsigned*) = nullptr;
  int (*mig_mode)(NvmlDevice*, unsigned*, unsigned*) = nullptr;
  int (*device_at)(const char* bus_id, NvmlDevice**) = nullptr;
  int (*power)(NvmlDevice*, unsigned* milliwatts) = nullptr;
  int (*temperature)(NvmlDevice*, unsigned sensor, unsigned* degrees) = nullptr;
  int (*clock)(NvmlDevice*, unsigned kind, unsigned* megahertz) = nullptr;
  int (*throttle_reasons)(NvmlDevice*, unsigned long long* bits) = nullptr;
  int (*uuid)(NvmlDevice*, char*, unsigned) = nullptr;  // for GPUs and slices (MIG)
  int (*most_slices)(NvmlDevice*, unsigned*) = nullptr;
  int (*slice)(NvmlDevice*, unsigned, NvmlDevice**) = nullptr;
  int (*gpu_instance)(NvmlDevice* slice, unsigned*) = nullptr;
  int (*compute_instance)(NvmlDevice* slice, unsigned*) = nullptr;
  int (*slice_attributes)(NvmlDevice* slice, NvmlSliceAttributes*) = nullptr;

 private:
  NvmlLibrary() = default;
  void find_functions(const DynamicLibraries& libraries, void* handle);

  int (*start_)() = nullptr;
  int (*stop_)() = nullptr;  // null unless the library has started
};

}  // namespace convoy
