#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/tensor.hpp"

namespace convoy::checkpoint {

// A safetensors file has the header's length as 8 bytes, the header as JSON, then the tensors'
// bytes. Format: https://github.com/huggingface/safetensors.
constexpr std::uint64_t kSafetensorsPrefixBytes = 8;
// A limit of the format itself. Headers of real weights are much shorter.
constexpr std::uint64_t kSafetensorsLongestHeader = 100'000'000;

struct StoredTensor {
  TensorInfo info;
  std::uint64_t begin = 0;  // in bytes, from the end of the header
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  // In the order of their bytes, which fill the data without gaps.
  std::vector<StoredTensor> tensors;
};

// Reads a header and verifies that every tensor lies within `data_bytes` bytes, has as many bytes
// as its shape and dtype require, and does not overlap another. Nothing in `json` is trusted. Error
// kFailed names `file` and, if one is the cause, the tensor.
SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                           const std::string& file);

// Returns the CRC32C of a header's content: all metadata except the entry of that name, and the
// tensors.
std::uint32_t header_checksum(const SafetensorsHeader& header, std::string_view except);

// Returns the header as files have it, padded with spaces so that the tensors start at a multiple
// of 8 bytes. The offsets are those of `header`.
std::string format_safetensors_header(const SafetensorsHeader& header);

}  // namespace convoy::checkpoint
