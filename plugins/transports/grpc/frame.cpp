#include "plugins/transports/grpc/frame.hpp"

#include <isa-l/crc.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace convoy::grpc_transport {

static_assert(std::endian::native == std::endian::little);

FrameReader::FrameReader(const grpc::ByteBuffer& buffer) : left_(buffer.Length()) {
  static_cast<void>(buffer.Dump(&slices_));
}

void FrameReader::read(void* to, std::uint64_t bytes) {
  auto* out = static_cast<std::uint8_t*>(to);
  left_ -= bytes;
  while (bytes > 0) {
    const grpc::Slice& slice = slices_.at(slice_);
    const std::size_t count = std::min<std::uint64_t>(bytes, slice.size() - offset_);
    std::memcpy(out, slice.begin() + offset_, count);
    out += count;
    bytes -= count;
    offset_ += count;
    if (offset_ < slice.size()) continue;
    ++slice_;
    offset_ = 0;
  }
}

grpc::ByteBuffer copied(const void* bytes, std::size_t count) {
  const grpc::Slice slice(bytes, count);
  return {&slice, 1};
}

std::uint32_t checksum(std::uint32_t before, const void* bytes, std::uint64_t count) {
  // The library expects inverted values at both ends, and takes at most INT_MAX bytes at once.
  std::uint32_t value = ~before;
  auto* at = static_cast<unsigned char*>(const_cast<void*>(bytes));
  constexpr std::uint64_t kMost = 1u << 30;
  for (std::uint64_t done = 0; done < count; done += std::min(kMost, count - done))
    value = ::crc32_iscsi(at + done, static_cast<int>(std::min(kMost, count - done)), value);
  return ~value;
}

}  // namespace convoy::grpc_transport
