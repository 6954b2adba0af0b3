#include "plugins/devices/cuda/gpu/gpu_description.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <convoy/device.hpp>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "plugins/devices/cuda/gpu/gpu_code.hpp"
#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/kernels/arithmetic.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

std::uint32_t numa_node_of(const std::string& address) {
  std::ifstream file("/sys/bus/pci/devices/" + address + "/numa_node");
  int node = -1;
  file >> node;
  return node < 0 ? std::uint32_t{CONVOY_NONE} : static_cast<std::uint32_t>(node);
}

int capability_of(const cudaDeviceProp& properties) {
  return 10 * properties.major + properties.minor;
}

std::string capability_text(const cudaDeviceProp& properties) {
  return std::to_string(properties.major) + "." + std::to_string(properties.minor);
}

}  // namespace

std::string pci_address(int gpu) {
  std::array<char, 32> text{};
  require(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), gpu),
          "asking for the GPU's PCI address");
  std::string address = text.data();
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

std::string gpu_id(int gpu) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, gpu), "asking for the GPU's properties");
  constexpr std::array<std::size_t, 4> kDashes = {
      4, 6, 8, 10};  // positions of the dashes: before these bytes
  constexpr const char* kDigits = "0123456789abcdef";
  std::string id;
  for (std::size_t i = 0; i < sizeof(properties.uuid.bytes); ++i) {
    if (std::ranges::find(kDashes, i) != kDashes.end()) id += '-';
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    id += kDigits[byte >> 4];
    id += kDigits[byte & 15];
  }
  return id;
}

void describe_gpu(int gpu, convoy_device_description& out) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, gpu), "asking for the GPU's properties");
  const std::string address = pci_address(gpu);
  // Every sum has a fixed order, and only deterministic convolution algorithms are used.
  out.flags = CONVOY_DEVICE_DETERMINISTIC | CONVOY_DEVICE_COLLECTIVES_SPAN_PROCESSES;
  out.threads = 0;
  out.numa_node = numa_node_of(address);
  out.memory_bytes = properties.totalGlobalMem;
  // Before Ampere (8.0) GPUs have no instructions for bf16.
  out.half_dtype = properties.major >= 8 ? CONVOY_BF16 : CONVOY_F16;
  set_text(out.model,
           std::string(properties.name) + ", compute capability " + capability_text(properties));
  set_text(out.locality, address);
}

std::string code_notice_of(int gpu) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, gpu), "asking for the GPU's properties");
  return code_notice(properties.name, capability_of(properties), built_capabilities());
}

std::uint64_t free_gpu_memory() {
  std::size_t available = 0;
  std::size_t total = 0;
  require(cudaMemGetInfo(&available, &total), "asking for free memory");
  return available;
}

void require_code_for_gpu(int gpu) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, gpu), "asking for the GPU's properties");
  const std::vector<int> built = built_capabilities();
  if (code_for(capability_of(properties), built) == GpuCode::kNone)
    throw std::runtime_error(code_notice(properties.name, capability_of(properties), built));
  require(cudaSetDevice(gpu), "choosing the GPU");
  void* memory = nullptr;
  require(allocate_on_gpu(&memory, 16), "allocating memory on the GPU");
  fill(nullptr, memory, 0, 4, 4);
  cudaError_t status = cudaGetLastError();
  if (status == cudaSuccess) status = cudaStreamSynchronize(nullptr);
  static_cast<void>(free_on_gpu(memory));
  require(status, "starting the first kernel");
}

bool enable_peer_access(int gpu, int other) {
  int possible = 0;
  require(cudaDeviceCanAccessPeer(&possible, gpu, other), "asking for peer access");
  if (possible == 0) return false;
  const cudaError_t status = cudaDeviceEnablePeerAccess(other, 0);
  static_cast<void>(cudaGetLastError());
  // A refusal, for example if a board has no more links, means that copies are staged.
  return status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace convoy::cuda
