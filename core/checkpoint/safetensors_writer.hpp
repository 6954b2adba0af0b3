#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/tensor.hpp"

namespace convoy {

// Writes a safetensors file that appears whole or not at all (DurableFile). Names must differ.
// Returns its size in bytes. Error kFailed with the system's reason.
std::uint64_t write_safetensors(const std::filesystem::path& path,
                                const std::map<std::string, std::string>& metadata,
                                const std::vector<Tensor>& tensors);

// CRC32C of the bytes of all tensors, in this order.
std::uint32_t tensors_checksum(const std::vector<Tensor>& tensors);

}  // namespace convoy
