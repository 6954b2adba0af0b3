#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/tensor.hpp"

namespace convoy::checkpoint {

// A file of safetensors is: the header's length as 8 bytes, the header as JSON, then the tensors'
// bytes. Format: https://github.com/huggingface/safetensors.
constexpr std::uint64_t kSafetensorsPrefixBytes = 8;
// A limit of the format itself: no header of real weights comes near it.
constexpr std::uint64_t kSafetensorsLongestHeader = 100'000'000;

struct StoredTensor {
  TensorInfo info;
  std::uint64_t begin = 0;  // bytes, from the end of the header
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> tensors;  // in the order of their bytes; they tile the data exactly
};

// Reads a header and proves that every tensor lies within `data_bytes` bytes, has as many bytes as
// its shape and dtype say, and shares none with another. Nothing in `json` is trusted. Error
// kFailed names `file` and, where one is to blame, the tensor.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::string& file);

// CRC32C of what a header says: all metadata but the entry of that name, and the tensors.
std::uint32_t header_checksum(const SafetensorsHeader& header, std::string_view except);

// The header as files have it, padded with spaces so that the tensors start at a multiple of 8
// bytes. The offsets are those of `header`.
std::string format_safetensors_header(const SafetensorsHeader& header);

}  // namespace convoy::checkpoint
