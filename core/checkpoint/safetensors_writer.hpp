#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/safetensors_header.hpp"
#include "core/checkpoint/tensor.hpp"

namespace convoy::checkpoint {

// Returns the header of a file with these tensors, one after the other.
SafetensorsHeader header_of(std::map<std::string, std::string> metadata,
                            const std::vector<Tensor>& tensors);

// Writes a safetensors file that appears completely or not at all (DurableFile). Names must differ.
// `before_it_appears` is called once the whole file is on the disk under another name. Returns its
// size in bytes. Error kFailed with the system's reason.
std::uint64_t write_safetensors(const std::filesystem::path& path,
                                const std::map<std::string, std::string>& metadata,
                                const std::vector<Tensor>& tensors,
                                const std::function<void()>& before_it_appears = {});

// Returns the CRC32C of the bytes of all tensors, in this order.
std::uint32_t tensors_checksum(const std::vector<Tensor>& tensors);

}  // namespace convoy::checkpoint
