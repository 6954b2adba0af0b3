#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::cuda {

// The GPU behind each device of the run: `indices` as the user lists them ("0,2"; "0,0" puts two
// devices on one GPU), else the first `wanted`, 0 = all. Throws std::invalid_argument when the
// machine has fewer.
std::vector<int> choose_gpus(const std::string& indices, std::uint32_t wanted, int present);

}  // namespace convoy::cuda
