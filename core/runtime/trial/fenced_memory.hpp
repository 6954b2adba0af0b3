#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::runtime {

// Memory between two protected guards of 1 MiB. Guards are whole pages, so only one end of the
// memory lies at a guard: the last byte, or else the first. Error(kUnavailable) without memory. For
// a single thread.
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

  // Whether a protected address belongs to this object, and whether it is in a guard. Memory
  // outside the guards may be read.
  bool holds(const void* address) const;
  bool guards(const void* address) const;

 private:
  std::byte* first_guard_;
  std::uint64_t page_bytes_;  // page-aligned bytes between the guards
  std::byte* data_;
  std::uint64_t bytes_;
};

}  // namespace convoy::runtime
