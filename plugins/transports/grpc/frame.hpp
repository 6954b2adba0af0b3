#pragma once

#include <convoy/abi/transport.h>
#include <grpcpp/support/byte_buffer.h>

#include <cstdint>
#include <vector>

namespace convoy::grpc_transport {

// The contents of a stream: one Hello in each direction, then frames. Integers are little-endian.

inline constexpr std::uint32_t kFrameBytes = 1u << 20;  // most bytes of a message in one frame
inline constexpr std::uint32_t kVersion = 2;

// Says who is at the other end, and proves that it knows the run's key. In clear text, anyone who
// can read the network can read the key. An attacker who can do that could also change all later
// bytes.
struct Hello {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t rank = 0;
  std::uint32_t ranks = 0;
  std::uint32_t generation = 0;
  std::uint32_t channels = 0;
  // number of connections of the pair in each direction, for messages
  std::uint32_t connections = 0;
  // which of them this is; equal to the number of all: the one for credit
  std::uint32_t connection = 0;
  std::uint8_t key[32] = {};
  std::uint32_t seen_port = 0;  // in the answer: the port of the other end, as this end sees it
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
  std::uint64_t offset = 0;    // offset of this piece
  std::uint32_t length = 0;    // bytes of this piece
  std::uint32_t checked = 0;   // 1: checksum covers all bytes so far
  std::uint32_t checksum = 0;  // CRC32C
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FrameHeader) == 64);

// Reads a message of gRPC from its beginning. Its memory may consist of several pieces.
class FrameReader {
 public:
  explicit FrameReader(const grpc::ByteBuffer& buffer);
  std::uint64_t left() const { return left_; }
  // Reads the next bytes, which must exist.
  void read(void* to, std::uint64_t bytes);

 private:
  std::vector<grpc::Slice> slices_;
  std::size_t slice_ = 0;
  std::size_t offset_ = 0;
  std::uint64_t left_;
};

// Returns a message of gRPC with a copy of these bytes.
grpc::ByteBuffer copied(const void* bytes, std::size_t count);

// Returns the CRC32C, continued from that of the previous bytes.
std::uint32_t checksum(std::uint32_t before, const void* bytes, std::uint64_t count);

}  // namespace convoy::grpc_transport
