#pragma once

#include <atomic>
#include <convoy/transfer_flow.hpp>
#include <cstddef>
#include <cstdint>

namespace convoy::shm {

// Small enough for the bytes to be still in a cache when they are copied out.
inline constexpr std::uint64_t kRingBytes = 512 * 1024;

// The state that one end tells the other one in shared memory. Each end sets its own fields, but
// the other end clears `asleep` and `blocked`.
struct alignas(64) EndState {
  std::atomic<std::uint32_t> asleep;   // it waits for its socket; a byte there wakes it
  std::atomic<std::uint32_t> blocked;  // it waits for room in its ring
  std::atomic<std::uint32_t> pulls;    // it reads large messages from the sender's memory
  std::atomic<std::uint32_t> revoked;  // its memory may not be read any more
  std::atomic<std::uint32_t> closed;   // it has closed in order
};

// A ring of bytes with one writer and one reader. Both count for ever.
struct RingCursors {
  alignas(64) std::atomic<std::uint64_t> written;
  alignas(64) std::atomic<std::uint64_t> read;
};

struct SharedState {
  EndState ends[2];
  RingCursors rings[2];  // by the writing end
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// Memory of one pair of tasks, without a name: it disappears with the last of the two processes.
// Each ring is mapped twice in a row, so that data that wrap around are contiguous.
class Region {
 public:
  // Makes a region. Throws std::runtime_error.
  Region();
  // Maps the region of the peer and takes over its descriptor. Throws RefusedInput when it is not a
  // region.
  explicit Region(int descriptor);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  int descriptor() const { return descriptor_; }
  // Call it when both tasks have the region. The pages stay for as long as they are mapped.
  void close_descriptor();
  SharedState& state() { return *state_; }
  std::byte* ring(std::size_t writer) { return rings_[writer]; }

 private:
  void map();
  void unmap();

  int descriptor_ = -1;
  SharedState* state_ = nullptr;
  std::byte* rings_[2] = {nullptr, nullptr};
};

// One end's view of a ring that it writes, or reads. It trusts the other process as little as a
// network.
class RingWriter {
 public:
  RingWriter(RingCursors& cursors, std::byte* bytes) : cursors_(cursors), bytes_(bytes) {}
  std::uint64_t room() const {
    const std::uint64_t used = written_ - cursors_.read.load(std::memory_order_acquire);
    if (used > kRingBytes)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "the peer has read what was never written");
    return kRingBytes - used;
  }
  std::byte* next() const { return bytes_ + written_ % kRingBytes; }
  void publish(std::uint64_t bytes) {
    written_ += bytes;
    cursors_.written.store(written_, std::memory_order_release);
  }

 private:
  RingCursors& cursors_;
  std::byte* bytes_;
  std::uint64_t written_ = 0;
};

class RingReader {
 public:
  RingReader(RingCursors& cursors, std::byte* bytes) : cursors_(cursors), bytes_(bytes) {}
  std::uint64_t available() const {
    const std::uint64_t bytes = cursors_.written.load(std::memory_order_acquire) - read_;
    if (bytes > kRingBytes)
      throw RefusedInput(CONVOY_REASON_MALFORMED,
                         "the peer has written more than there is room for");
    return bytes;
  }
  const std::byte* next() const { return bytes_ + read_ % kRingBytes; }
  void consume(std::uint64_t bytes) {
    read_ += bytes;
    cursors_.read.store(read_, std::memory_order_release);
  }

 private:
  RingCursors& cursors_;
  std::byte* bytes_;
  std::uint64_t read_ = 0;
};

}  // namespace convoy::shm
