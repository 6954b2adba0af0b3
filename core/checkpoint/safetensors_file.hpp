#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/checkpoint/safetensors_header.hpp"
#include "core/checkpoint/tensor.hpp"

namespace convoy::checkpoint {

// A safetensors file open for reading. Once it is open, every tensor is known to lie within the
// file. Bytes are read, not mapped, so a file that shrinks or a disk that fails gives an Error
// instead of a signal. Errors are kFailed and name the file and the tensor.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile();
  SafetensorsFile(const SafetensorsFile&) = delete;
  SafetensorsFile& operator=(const SafetensorsFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t file_bytes() const { return file_bytes_; }
  const SafetensorsHeader& header() const { return header_; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const std::vector<StoredTensor>& tensors() const { return header_.tensors; }
  // Returns nullptr if there is no tensor of that name.
  const StoredTensor* find(std::string_view name) const;

  std::vector<std::byte> read(const StoredTensor& tensor) const;
  // Returns the values converted to f32; see tensor_floats.
  std::vector<float> read_floats(const StoredTensor& tensor) const;
  // Returns the CRC32C of all tensors' bytes in the order of the file.
  std::uint32_t checksum() const;

 private:
  void open();
  void read_header();
  void read_at(std::uint64_t position, void* to, std::uint64_t bytes) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t data_start_ = 0;
  SafetensorsHeader header_;
  std::map<std::string_view, const StoredTensor*> by_name_;
};

}  // namespace convoy::checkpoint
