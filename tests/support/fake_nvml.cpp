// Stands in for NVIDIA's libnvidia-ml.so.1: two A100 on one machine, and one more that only the
// driver shows. The first two have 4 links to each other and 8 to NVSwitches; the third has none.
// The second is split by MIG into two slices.
#include <atomic>
#include <cstdio>
#include <cstring>

#include "core/base/system/nvml_library.hpp"

namespace {

using convoy::NvmlDevice;
using convoy::NvmlMemory;
using convoy::NvmlPciInfo;

constexpr unsigned kGpus = 3;
constexpr unsigned kLinks = 12;
constexpr int kNotSupported = 3;
constexpr unsigned kBuses[kGpus] = {0x30, 0x31, 0xa0};
int gpus[kGpus];
constexpr unsigned kSlices = 2;
int slices[kSlices];
std::atomic<unsigned> power_questions{0};

unsigned number_of(const NvmlDevice* device) {
  return static_cast<unsigned>(reinterpret_cast<const int*>(device) - gpus);
}

void fill(NvmlPciInfo* info, unsigned bus) {
  std::memset(info, 0, sizeof *info);
  info->bus = bus;
  info->device_id = 0x20b010de;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): NVML's names.
extern "C" {

int nvmlInit_v2() {
  return 0;
}

int nvmlShutdown() {
  return 0;
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = kGpus;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, NvmlDevice** device) {
  *device = reinterpret_cast<NvmlDevice*>(&gpus[index]);
  return 0;
}

int nvmlDeviceGetPciInfo_v3(NvmlDevice* device, NvmlPciInfo* info) {
  fill(info, kBuses[number_of(device)]);
  return 0;
}

int nvmlDeviceGetName(NvmlDevice*, char* name, unsigned size) {
  std::snprintf(name, size, "NVIDIA A100-SXM4-40GB");
  return 0;
}

int nvmlDeviceGetMemoryInfo(NvmlDevice*, NvmlMemory* memory) {
  *memory = {42949672960ULL, 42949672960ULL, 0};
  return 0;
}

int nvmlDeviceGetNvLinkState(NvmlDevice* device, unsigned link, unsigned* active) {
  if (number_of(device) > 1 || link >= kLinks) return kNotSupported;
  *active = 1;
  return 0;
}

// 5 is NVLink 3.1, the version of A100.
int nvmlDeviceGetNvLinkVersion(NvmlDevice*, unsigned, unsigned* version) {
  *version = 5;
  return 0;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(NvmlDevice* device, unsigned link, NvmlPciInfo* info) {
  fill(info, link < 4 ? kBuses[1 - number_of(device)] : 0xf0);
  return 0;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(NvmlDevice*, unsigned link, unsigned* kind) {
  *kind = link < 4 ? 0 : 2;
  return 0;
}

int nvmlDeviceGetP2PStatus(NvmlDevice* from, NvmlDevice* to, unsigned, unsigned* status) {
  *status = number_of(from) < 2 && number_of(to) < 2 ? 0 : 1;
  return 0;
}

int nvmlDeviceGetMigMode(NvmlDevice* device, unsigned* mode, unsigned* pending) {
  *mode = *pending = number_of(device) == 1 ? 1 : 0;
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, NvmlDevice** device) {
  unsigned domain = 0, bus = 0;
  if (std::sscanf(bus_id, "%x:%x:", &domain, &bus) != 2) return 2;  // an invalid argument
  for (unsigned i = 0; i < kGpus; ++i) {
    if (domain != 0 || bus != kBuses[i]) continue;
    return nvmlDeviceGetHandleByIndex_v2(i, device);
  }
  return 6;  // not found
}

// The first GPU uses 300 and 400 W alternately; the others do not report it.
int nvmlDeviceGetPowerUsage(NvmlDevice* device, unsigned* milliwatts) {
  if (number_of(device) != 0) return kNotSupported;
  *milliwatts = power_questions++ % 2 == 0 ? 300000 : 400000;
  return 0;
}

int nvmlDeviceGetTemperature(NvmlDevice* device, unsigned, unsigned* degrees) {
  *degrees = 60 + number_of(device);
  return 0;
}

int nvmlDeviceGetClockInfo(NvmlDevice*, unsigned kind, unsigned* megahertz) {
  *megahertz = kind == 2 ? 1215 : 1410;
  return 0;
}

// The first GPU is idle and at its power cap; the second has clocks set by a user.
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice* device, unsigned long long* bits) {
  *bits = number_of(device) == 0 ? 0x5 : 0x2;
  return 0;
}
int nvmlDeviceGetUUID(NvmlDevice* device, char* text, unsigned size) {
  for (unsigned i = 0; i < kSlices; ++i)
    if (reinterpret_cast<const int*>(device) == slices + i)
      return std::snprintf(text, size, "MIG-%u1111111-2222-3333-4444-555555555555", i + 1), 0;
  std::snprintf(text, size, "GPU-%x0000000-1111-2222-3333-444444444444", 10 + number_of(device));
  return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(NvmlDevice* device, unsigned* count) {
  *count = number_of(device) == 1 ? 7 : 0;
  return 0;
}

// The slots between are empty.
int nvmlDeviceGetMigDeviceHandleByIndex(NvmlDevice*, unsigned index, NvmlDevice** slice) {
  if (index % 3 != 0 || index / 3 >= kSlices) return 6;  // not found
  *slice = reinterpret_cast<NvmlDevice*>(&slices[index / 3]);
  return 0;
}

int nvmlDeviceGetGpuInstanceId(NvmlDevice* slice, unsigned* id) {
  *id = 7 + static_cast<unsigned>(reinterpret_cast<const int*>(slice) - slices);
  return 0;
}

int nvmlDeviceGetComputeInstanceId(NvmlDevice*, unsigned* id) {
  *id = 0;
  return 0;
}

// The first slice is a 1g.5gb, the second a 3g.20gb.
int nvmlDeviceGetAttributes_v2(NvmlDevice* slice, convoy::NvmlSliceAttributes* attributes) {
  const bool first = reinterpret_cast<const int*>(slice) == slices;
  *attributes = {};
  attributes->multiprocessors = first ? 14 : 42;
  attributes->memory_megabytes = first ? 4864 : 19968;
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
