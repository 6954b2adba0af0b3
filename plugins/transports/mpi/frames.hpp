#pragma once

#include <mpi.h>

#include <convoy/abi/transport.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace convoy::mpi {

enum FrameKind : std::uint32_t {
  kHello = 1,    // who the sender is; the payload is a Hello
  kGoodbye = 2,  // the sender has closed
  kMessage = 3,  // a small message, complete
  kOffer = 4,    // a large message; its target answers with kReady when it receives
  kReady = 5,    // its bytes may be sent
  kCredit = 6    // this many messages of the channel are expected
};

// Processes send each other frames, all with one tag; `payload` bytes follow.
struct Frame {
  std::uint32_t kind = 0;
  std::uint32_t channel = 0;
  std::uint64_t sequence = 0;
  convoy_message_tag tag{};
  std::uint64_t bytes = 0;  // of the message
  std::uint32_t generation = 0;
  std::uint32_t payload = 0;
};

inline constexpr std::size_t kPayload = 16384;
// The largest message of MPI; it has one or more frames, one after the other.
inline constexpr std::size_t kParcelBytes = 2 * (sizeof(Frame) + kPayload);
inline constexpr int kFrameTag = 1;
inline constexpr int kDataTag = 16;  // + channel, for the bytes of large messages

using ParcelMemory = std::array<std::byte, kParcelBytes>;

// Parcels in flight to other processes, in memory of their own. Their number is limited; a caller
// that finds no room waits.
class OutgoingParcels {
 public:
  ~OutgoingParcels();
  bool has_room() const { return flying_.size() < kMost; }
  std::unique_ptr<ParcelMemory> memory();
  void send(int to, std::unique_ptr<ParcelMemory> memory, std::size_t bytes);
  // Takes back memory that is free again. Returns whether a parcel has arrived.
  bool progress();
  bool empty() const { return flying_.empty(); }

 private:
  static constexpr std::size_t kMost = 256;
  struct Flying {
    MPI_Request request;
    std::unique_ptr<ParcelMemory> memory;
  };
  std::deque<Flying> flying_;
  std::vector<std::unique_ptr<ParcelMemory>> free_;
};

// Frames to one process that are sent together, because a message of MPI costs more than the bytes
// of a frame.
class Parcel {
 public:
  Parcel(int to, OutgoingParcels& parcels) : to_(to), parcels_(parcels) {}

  // `payload`: frame.payload bytes; null: none. Sends the earlier frames when there is no room for
  // it.
  void add(const Frame& frame, const void* payload);
  // Sends the added frames, if there are any.
  void send();

 private:
  int to_;
  OutgoingParcels& parcels_;
  std::unique_ptr<ParcelMemory> memory_;
  std::size_t bytes_ = 0;
};

// Parcels from all processes, in order of arrival.
class IncomingParcels {
 public:
  IncomingParcels();
  ~IncomingParcels();
  IncomingParcels(const IncomingParcels&) = delete;
  IncomingParcels& operator=(const IncomingParcels&) = delete;

  // Calls take(source, bytes, memory) for the oldest parcel; returns false when none has arrived.
  template <typename Take>
  bool next(Take take) {
    int source = 0;
    int bytes = 0;
    if (!arrived(source, bytes)) return false;
    take(source, static_cast<std::size_t>(bytes), memory_[oldest_].data());
    post(oldest_);
    oldest_ = (oldest_ + 1) % kPosted;
    return true;
  }

 private:
  static constexpr std::size_t kPosted = 64;
  void post(std::size_t index);
  bool arrived(int& source, int& bytes);

  std::vector<ParcelMemory> memory_{kPosted};
  std::array<MPI_Request, kPosted> requests_{};
  std::size_t oldest_ = 0;
};

}  // namespace convoy::mpi
