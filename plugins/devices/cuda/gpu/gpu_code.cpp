#include "plugins/devices/cuda/gpu/gpu_code.hpp"

#include <algorithm>
#include <sstream>

// Capabilities with commas.
#ifndef CONVOY_CUDA_CODE
#define CONVOY_CUDA_CODE ""
#endif

namespace convoy::cuda {
namespace {

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

std::string list_text(const std::vector<int>& binaries) {
  std::string text;
  for (const int capability : binaries)
    text += (text.empty() ? "" : ", ") + capability_text(capability);
  return text;
}

// The build makes PTX for this capability: see cmake/ConvoyCuda.cmake.
int ptx_capability(const std::vector<int>& binaries) {
  return std::min(binaries.back(), 80);
}

}  // namespace

GpuCode code_for(int capability, const std::vector<int>& binaries) {
  if (binaries.empty()) return GpuCode::kOwn;
  const bool own = std::any_of(binaries.begin(), binaries.end(), [capability](int binary) {
    return binary / 10 == capability / 10 && binary <= capability;
  });
  if (own) return GpuCode::kOwn;
  return ptx_capability(binaries) <= capability ? GpuCode::kCompiledByDriver : GpuCode::kNone;
}

std::vector<int> built_capabilities() {
  std::istringstream list(CONVOY_CUDA_CODE);
  std::vector<int> capabilities;
  for (std::string one; std::getline(list, one, ',');) capabilities.push_back(std::stoi(one));
  return capabilities;
}

std::string code_notice(const std::string& gpu, int capability, const std::vector<int>& binaries) {
  const std::string whose = gpu + " has compute capability " + capability_text(capability) + ", ";
  switch (code_for(capability, binaries)) {
    case GpuCode::kOwn:
      return {};
    case GpuCode::kCompiledByDriver:
      return whose + "which this plug-in has no machine code for: the driver compiles its PTX of " +
             capability_text(ptx_capability(binaries)) +
             ", which takes a while when it first starts";
    default:
      return whose + "and this plug-in has code for " + list_text(binaries) +
             " and newer: build convoy with a toolkit that knows that GPU, where that GPU is or "
             "with "
             "-DCONVOY_CUDA_ARCHITECTURES=all or a list with " +
             std::to_string(capability) + " in it";
  }
}

}  // namespace convoy::cuda
