#pragma once

#include <convoy/transfer_flow.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/transports/shm/link.hpp"
#include "plugins/transports/shm/region.hpp"

namespace convoy::shm {

struct Frame;

// The messages between this task and one peer, through two rings in shared memory. Small messages
// are copied into the ring and out of it. If the system permits it, the target reads large messages
// from the sender's memory, in one copy.
class Pair {
 public:
  Pair(std::uint32_t peer, std::uint32_t generation, std::uint32_t channels,
       TransportEvents& events);
  ~Pair();
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  // Messages are queued until the pair is established, and cancelled once it is lost.
  void send(const convoy_transfer& transfer);
  void expect(const convoy_transfer& transfer);

  // side: 0 for the task that made the region, 1 for the other one. process: that of the peer if
  // this end may read its memory, else 0.
  void establish(std::unique_ptr<Region> region, Descriptor socket, std::size_t side,
                 pid_t process);
  bool established() const { return region_ != nullptr; }
  bool lost() const { return lost_; }
  int socket() const { return socket_.get(); }

  // Moves data for some milliseconds at most. Returns whether it did anything.
  bool progress();
  // The bell has rung, or the peer is gone.
  void hear();
  // Call these before and after a sleep. fall_asleep returns whether there is something to do at
  // once.
  bool fall_asleep();
  void wake_up();

  // Cancels all messages, and forgets the peer. Nothing is reported about the peer itself.
  void cancel();
  void lose(convoy_transport_reason reason, const std::string& text, int error = 0);

 private:
  // A message whose bytes come through the ring.
  struct Arriving {
    std::uint32_t channel;
    std::byte* next;
    std::uint64_t left;
  };
  // A message that is read from the peer's memory.
  struct Pulled {
    std::uint32_t channel;
    std::uint64_t sequence;
    std::byte* to;
    std::uint64_t from;
    std::uint64_t left;
  };
  // A message that the peer reads.
  struct Offered {
    std::uint32_t channel;
    std::uint64_t sequence;
  };

  bool write();
  bool write_control();
  bool write_message();
  void write_frame(const Frame& frame, const std::byte* payload = nullptr);
  bool has_room(std::uint64_t bytes);
  bool read();
  void handle(const Frame& frame, const std::byte* payload);
  void begin_message(const Frame& frame, const std::byte* payload);
  void take_payload(const std::byte* payload, std::uint64_t bytes);
  void continue_pull(std::uint64_t& budget);
  void take_offer_back(const Frame& frame);
  void finish_receive(std::uint32_t channel);
  void finish_send(std::uint32_t channel, std::uint64_t sequence);
  void wake_peer();
  void revoke();
  bool peer_lives() const;

  EndState& own() { return region_->state().ends[side_]; }
  EndState& other() { return region_->state().ends[1 - side_]; }

  std::uint32_t peer_;
  TransportEvents& events_;
  SendFlow sends_;
  SentMessages sent_;
  ReceiveFlow receives_;
  bool lost_ = false;

  std::unique_ptr<Region> region_;
  Descriptor socket_;
  std::size_t side_ = 0;
  pid_t process_ = 0;
  std::optional<RingWriter> writer_;
  std::optional<RingReader> reader_;
  bool hung_up_ = false;
  bool wants_room_ = false;

  std::vector<bool> credit_due_;  // by channel
  std::deque<Offered> taken_;     // read from the peer's memory, and to be confirmed
  std::deque<Offered> offered_;   // not confirmed yet, in the order of the offers
  std::optional<convoy_transfer> outgoing_;
  std::uint64_t outgoing_done_ = 0;
  std::optional<Arriving> arriving_;
  std::optional<Pulled> pulled_;
};

}  // namespace convoy::shm
