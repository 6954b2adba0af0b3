#pragma once

#include <convoy/abi/transport.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <vector>

namespace convoy::grpc_transport {

// What goes over a stream: one Hello in each direction, then frames. Integers are little-endian.

inline constexpr std::uint32_t kFrameBytes = 1u << 20;  // of a message in one frame, at most
inline constexpr std::uint32_t kVersion = 2;

// Who is at the other end, and that it knows the run's key. In clear text whoever can read the
// network can read the key; the same could change every byte that follows.
struct Hello {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t generation = 0;
  std::uint32_t channels = 0;
  std::uint32_t connections = 0;  // of the pair in each direction, for messages
  std::uint32_t connection = 0;   // which of them this is; as many as there are: that for credit
  std::uint8_t key[32] = {};
  std::uint32_t seen_port = 0;  // the answer's: the port that the other end has in its view
  std::uint32_t reserved = 0;

  static constexpr std::uint32_t kMagic = 0x59564e43;  // "CNVY"
};
static_assert(sizeof(Hello) == 72);

enum class FrameKind : std::uint32_t {
  kData = 1,    // a piece of a message follows the header
  kCredit = 2,  // messages of `channel` below `sequence` are expected
  kClose = 3    // the sender has closed; nothing follows
};

struct FrameHeader {
  FrameKind kind = FrameKind::kData;
  std::uint32_t channel = 0;
  std::uint64_t sequence = 0;
  convoy_message_tag tag{};
  std::uint64_t bytes = 0;     // of the message
  std::uint64_t offset = 0;    // of this piece
  std::uint32_t length = 0;    // of this piece
  std::uint32_t checked = 0;   // 1: checksum is that of all bytes so far
  std::uint32_t checksum = 0;  // CRC32C
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FrameHeader) == 64);

// Reads a message of gRPC from its beginning; it may lie in several pieces of memory.
class FrameReader {
 public:
  explicit FrameReader(const grpc::ByteBuffer& buffer);
  std::uint64_t left() const { return left_; }
  // The next bytes; there must be so many.
  void read(void* to, std::uint64_t bytes);

 private:
  std::vector<grpc::Slice> slices_;
  std::size_t slice_ = 0;
  std::size_t offset_ = 0;
  std::uint64_t left_;
};

// A message of gRPC that has a copy of these bytes.
grpc::ByteBuffer copied(const void* bytes, std::size_t count);

// CRC32C, continued from that of the bytes before.
std::uint32_t checksum(std::uint32_t before, const void* bytes, std::uint64_t count);

}  // namespace convoy::grpc_transport
