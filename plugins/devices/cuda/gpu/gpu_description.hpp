#pragma once

#include <convoy/abi.h>

#include <string>

namespace convoy::cuda {

// Fills in what is known of a GPU; lanes and name are left to the caller.
void describe_gpu(int gpu, convoy_device_description& out);

// Throws std::runtime_error, naming the GPU, when the plug-in has no code that runs on it.
void require_code_for_gpu(int gpu);

// What to tell when a GPU runs code that the driver compiles, see gpu_code.hpp; empty otherwise.
std::string code_notice_of(int gpu);

// Bytes that the calling thread's GPU has free.
std::uint64_t free_gpu_memory();

// Whether the first GPU, which is the calling thread's, addresses the memory of the second.
bool enable_peer_access(int gpu, int other);

// "8932f937-d72c-4106-c12f-20bd9faed9f6": the GPU's id, or that of the slice (MIG) in its place.
std::string gpu_id(int gpu);

// "0000:17:00.0".
std::string pci_address(int gpu);

}  // namespace convoy::cuda
