#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::cuda {

// The GPUs that CUDA gives to this process.
struct PresentGpus {
  int count = 0;
  std::optional<std::string> visible = {};  // CUDA_VISIBLE_DEVICES, when it is set
  // Their ids, "8932f937-d72c-..."; filled in if a list names ids
  std::vector<std::string> ids = {};
};

// Whether a list of devices contains ids: "GPU-8932f937" or a slice's "MIG-...".
bool lists_ids(const std::string& indices);

// Returns the GPU of each device of the run. `indices` is the user's list of numbers or ids ("0,2";
// "0,0" puts two devices on one GPU). If it is empty, returns the first `wanted` GPUs, 0 = all. Ids
// may be cut short. Throws std::invalid_argument when there are fewer GPUs, and for an id that
// matches none or several of them.
std::vector<int> choose_gpus(const std::string& indices, std::uint32_t wanted,
                             const PresentGpus& present);

// Returns a notice that CUDA ignores entries of CUDA_VISIBLE_DEVICES, and why; else empty.
std::string left_out_notice(const PresentGpus& present);

}  // namespace convoy::cuda
