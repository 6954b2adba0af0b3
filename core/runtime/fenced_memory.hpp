#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy {

// Memory between two guards of 1 MiB that nobody may touch. Only one of its ends lies at a guard,
// because guards are whole pages: the last byte, or else the first. Error(kUnavailable) without
// memory. For a single thread.
class FencedMemory {
 public:
  enum class Side { kBegin, kEnd };

  FencedMemory(std::uint64_t bytes, Side at_guard);
  ~FencedMemory();
  FencedMemory(FencedMemory&& other) noexcept;
  FencedMemory& operator=(FencedMemory&&) = delete;

  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  void allow_writes(bool allowed);

  // Whether an address that must not be touched belongs to it, and whether it lies in a guard; what
  // does not may be read.
  bool holds(const void* address) const;
  bool guards(const void* address) const;

 private:
  std::byte* first_guard_;
  std::uint64_t page_bytes_;  // between the guards
  std::byte* data_;
  std::uint64_t bytes_;
};

}  // namespace convoy
