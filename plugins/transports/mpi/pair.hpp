#pragma once

#include <mpi.h>

#include <convoy/transfer_flow.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/transports/mpi/frames.hpp"

namespace convoy::mpi {

// The messages between this task and one peer. Small ones are one frame. Of large ones a frame
// tells the target, which begins to receive into the span and says so: no memory is MPI's before
// both ends are at it.
class Pair {
 public:
  // to: the peer's rank in MPI_COMM_WORLD.
  Pair(std::uint32_t peer, int to, const convoy_transport_run& run, OutgoingParcels& parcels,
       TransportEvents& events);

  void send(const convoy_transfer& transfer);
  void expect(const convoy_transfer& transfer);
  void establish() { established_ = true; }
  bool established() const { return established_; }
  bool lost() const { return lost_; }
  int to() const { return to_; }

  // A frame of this peer, other than a greeting. Throws RefusedInput.
  void take(const Frame& frame, const std::byte* payload);
  // Whether anything has moved.
  bool progress();

  // Messages that MPI is not at end at once, the others when it has done with them.
  void cancel();
  void lose(convoy_transport_reason reason, const std::string& text);
  // Whether MPI still refers to spans.
  bool busy() const;

 private:
  // A large message whose bytes MPI moves.
  struct Moving {
    MPI_Request request;
    std::uint64_t sequence;
    std::uint64_t bytes;
  };
  // A frame of a message behind one that is still arriving on its channel.
  struct Stalled {
    Frame frame;
    std::vector<std::byte> payload;
  };
  // MPI moves what one process sends another with one tag in order.
  struct Channel {
    std::deque<Moving> going{};
    std::deque<Moving> coming{};
    std::deque<Stalled> stalled{};
  };

  bool write();
  void write_message(const convoy_transfer& transfer);
  bool finish_going(std::uint32_t channel);
  bool finish_coming(std::uint32_t channel);
  bool must_stall(const Frame& frame) const;
  void begin_stalled(std::uint32_t channel);
  void begin(const Frame& frame, const std::byte* payload);
  void send_bytes(const Frame& ready);
  void finish_send(std::uint32_t channel, std::uint64_t sequence);
  void end_all();
  Frame frame_of(FrameKind kind, std::uint32_t channel, std::uint64_t sequence) const;

  std::uint32_t peer_;
  int to_;
  std::uint32_t generation_;
  OutgoingParcels& parcels_;
  Parcel parcel_;
  TransportEvents& events_;
  SendFlow sends_;
  SentMessages sent_;
  ReceiveFlow receives_;
  bool established_ = false;
  bool lost_ = false;

  std::deque<std::pair<std::uint32_t, std::uint64_t>> ready_due_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, convoy_transfer> offered_;
  std::vector<Channel> channels_;
};

}  // namespace convoy::mpi
