#pragma once

#include <mpi.h>

#include <convoy/transfer_flow.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "plugins/transports/mpi/frames.hpp"

namespace convoy::mpi {

// The messages between this task and one peer. A small message is one frame. MPI moves the bytes of
// a large message after two frames: one tells the target of the message (an offer), the other tells
// the sender that the target receives into its span (it is ready). The target is ready as soon as
// it expects a message, so that its bytes follow the offer at once. MPI never has memory to send
// whose target is not ready, because it could not be taken back.
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

  // Cancels messages: those that MPI does not refer to end at once, the others when MPI has
  // finished them.
  void cancel();
  void lose(convoy_transport_reason reason, const std::string& text);
  // Whether MPI still refers to spans.
  bool busy() const;

 private:
  // A large message whose bytes MPI moves, or is ready to receive.
  struct Moving {
    MPI_Request request;
    std::uint64_t sequence;
    std::uint64_t bytes;
    bool offered;  // its offer has arrived
  };
  // A message that one end is ready to receive.
  struct Ready {
    std::uint64_t sequence;
    std::uint64_t bytes;
  };
  // A frame of a message behind one that is still arriving on its channel.
  struct Stalled {
    Frame frame;
    std::vector<std::byte> payload;
  };
  // MPI keeps the order of messages between two processes with one tag, so both ends pass large
  // messages to it in the order of their numbers.
  struct Channel {
    std::deque<Moving> going{};
    std::deque<Moving> coming{};
    std::deque<Stalled> stalled{};
    std::deque<convoy_transfer> offered{};  // to the peer, which is not ready for them yet
    std::deque<Ready> peer_ready{};         // for messages that are not offered yet
    std::uint64_t peer_ready_below = 0;     // all messages that the peer has announced as ready
    std::uint64_t begun = 0;  // number of the peer's messages that have begun to arrive
  };

  bool write();
  void write_message(const convoy_transfer& transfer);
  bool finish_going(std::uint32_t channel);
  bool finish_coming(std::uint32_t channel);
  bool must_stall(const Frame& frame) const;
  void begin_stalled(std::uint32_t channel);
  void begin(const Frame& frame, const std::byte* payload);
  void begin_large(const Frame& offer, void* memory);
  void receive_ahead(const convoy_transfer& transfer);
  void receive(std::uint32_t channel, void* memory, const Moving& message);
  void take_ready(const Frame& frame);
  void send_bytes(const convoy_transfer& transfer);
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

  std::deque<convoy_transfer> expected_;  // large messages that MPI does not receive yet
  std::deque<Frame> ready_due_;           // to be sent to the peer
  std::vector<Channel> channels_;
};

}  // namespace convoy::mpi
