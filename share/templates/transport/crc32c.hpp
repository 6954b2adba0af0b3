#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace plain_sockets {

// The checksum of iSCSI, computed byte by byte.
class Crc32c {
 public:
  void add(const void* memory, std::size_t bytes) {
    const auto* from = static_cast<const unsigned char*>(memory);
    for (std::size_t i = 0; i < bytes; ++i)
      state_ = (state_ >> 8) ^ table()[(state_ ^ from[i]) & 0xffu];
  }
  std::uint32_t value() const { return ~state_; }

 private:
  static const std::array<std::uint32_t, 256>& table() {
    static const std::array<std::uint32_t, 256> kMade = [] {
      std::array<std::uint32_t, 256> entries{};
      for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t entry = i;
        for (int bit = 0; bit < 8; ++bit) entry = (entry >> 1) ^ ((entry & 1u) * 0x82f63b78u);
        entries[i] = entry;
      }
      return entries;
    }();
    return kMade;
  }

  std::uint32_t state_ = 0xffffffffu;
};

}  // namespace plain_sockets
