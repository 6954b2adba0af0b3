#pragma once

#include <convoy/abi.h>

#include <string>

namespace convoy::cuda {

// Fills in the facts about a GPU, except lanes and name, which the caller sets.
void describe_gpu(int gpu, convoy_device_description& out);

// Throws std::runtime_error, naming the GPU, when the plug-in has no code that runs on it.
void require_code_for_gpu(int gpu);

// Returns a notice when the driver compiles the code for a GPU, see gpu_code.hpp; else empty.
std::string code_notice_of(int gpu);

// Returns the free bytes of the calling thread's GPU.
std::uint64_t free_gpu_memory();

// Whether the first GPU, which is the calling thread's, can address the memory of the second.
bool enable_peer_access(int gpu, int other);

// Returns "8932f937-d72c-4106-c12f-20bd9faed9f6": the GPU's id, or that of its slice (MIG).
std::string gpu_id(int gpu);

// Returns "0000:17:00.0".
std::string pci_address(int gpu);

}  // namespace convoy::cuda
