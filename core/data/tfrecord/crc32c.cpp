#include "core/data/tfrecord/crc32c.hpp"

#include <isa-l/crc.h>

#include <algorithm>
#include <limits>

namespace convoy::data {

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  // ISA-L takes the length as int, and a pointer to non-const bytes that it only reads.
  constexpr std::size_t kLargestChunk = std::numeric_limits<int>::max();
  std::uint32_t state = ~before;
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), kLargestChunk);
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    state = crc32_iscsi(data, static_cast<int>(count), state);
    bytes.remove_prefix(count);
  }
  return ~state;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

}  // namespace convoy::data
