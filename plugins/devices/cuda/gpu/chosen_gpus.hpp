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
  std::vector<std::string> ids = {};        // theirs, "8932f937-d72c-..."; where ids are listed
};

// Whether a list of devices has ids in it, "GPU-8932f937" or a slice's "MIG-...".
bool lists_ids(const std::string& indices);

// The GPU behind each device of the run: `indices` as the user lists them, by number or id ("0,2";
// "0,0" puts two devices on one GPU), else the first `wanted`, 0 = all. Ids may be cut short.
// Throws std::invalid_argument when there are fewer, and for an id that is none or several of
// theirs.
std::vector<int> choose_gpus(const std::string& indices, std::uint32_t wanted,
                             const PresentGpus& present);

// That CUDA leaves out entries of CUDA_VISIBLE_DEVICES, and why it does; else empty.
std::string left_out_notice(const PresentGpus& present);

}  // namespace convoy::cuda
