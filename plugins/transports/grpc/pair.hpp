#pragma once

#include <algorithm>
#include <convoy/transfer_flow.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugins/transports/grpc/frame.hpp"
#include "plugins/transports/grpc/mailbox.hpp"
#include "plugins/transports/grpc/stream.hpp"

namespace convoy::grpc_transport {

// The settings of a pair.
struct PairSettings {
  std::uint32_t peer = 0;
  std::uint32_t generation = 0;
  std::uint32_t channels = 1;
  // Each direction has this many connections of its own, those of the smaller rank first, and its
  // channel c uses the one with index c % connections. So what a receiver must tell the sender,
  // mainly that it has room for more (HTTP/2's windows), comes back on a connection that carries
  // nothing else. Behind messages on a slow link, it would keep the sender waiting. For the same
  // reason, the last connection carries only credit.
  std::uint32_t connections = 1;
  bool sends_first = false;  // this task has the smaller rank
  bool checked = false;      // sent data carry checksums
};

// This task and one peer: messages, credit, and the connections that carry them. The caller of any
// function holds the transport's mutex. Functions with a lock argument release it while they copy
// or write.
class Pair {
 public:
  using Lock = std::unique_lock<std::mutex>;
  Pair(const PairSettings& settings, std::shared_ptr<Mailbox> mailbox, TransportEvents& events);

  void send(const convoy_transfer& transfer, Lock& lock);
  void expect(const convoy_transfer& transfer, Lock& lock);

  // Call it for connect: events follow from now on.
  void ask();
  bool asked() const { return asked_; }
  bool connected() const { return connected_; }
  bool lost() const { return lost_; }
  bool has_stream(std::uint32_t connection) const { return lanes_[connection].stream != nullptr; }
  // The first message on this connection is being written.
  void reserve(std::uint32_t connection) { lanes_[connection].writing = true; }
  // Both ends have identified each other on this connection.
  void attach(std::uint32_t connection, Stream& stream, Lock& lock);

  // Called by attached streams.
  void read(std::uint32_t connection, const grpc::ByteBuffer& message, Lock& lock);
  void written(std::uint32_t connection, bool ok, Lock& lock);
  void ended(std::uint32_t connection, const std::string& reason);

  // gRPC has released a piece of a message.
  void released(const Released& piece);
  // The peer is lost; called once. Its messages end as soon as their spans are released.
  void lose(convoy_transport_reason reason, const std::string& text);
  // The same as a loss, but without an event for it.
  void cancel();
  // Tells the peer that nothing follows. Returns true when it is told, or cannot be told.
  bool say_goodbye(Lock& lock);
  // Whether no span is referred to any more.
  bool released_all() const { return pieces_ == 0 && copying_ == 0; }
  // Ends connections in the middle of their writes.
  void reset() const;

  // Whether a thread is in a call of this stream without holding the lock.
  bool calls(const Stream& stream) const {
    return std::ranges::any_of(lanes_, [&](const Lane& lane) { return lane.called == &stream; });
  }

 private:
  struct Outgoing {
    convoy_transfer transfer;
    std::uint64_t offset = 0;
    std::uint32_t checksum = 0;
  };
  struct Incoming {
    FrameHeader first;
    std::uint8_t* memory;
    std::uint64_t received = 0;
    std::uint32_t checksum = 0;
  };
  struct Lane {
    Stream* stream = nullptr;
    const Stream* called = nullptr;  // by a thread that does not hold the lock
    std::uint32_t local_port = 0;
    std::uint32_t remote_port = 0;
    bool writing = false;
    bool closing = false;      // CLOSE must be sent
    bool said_close = false;   // CLOSE is sent
    bool heard_close = false;  // the peer's CLOSE has arrived
    std::optional<Outgoing> outgoing{};
    std::optional<Incoming> incoming{};
    std::uint32_t turn = 0;
  };
  struct InFlight {
    std::uint32_t pieces = 0;
    bool all = false;  // no more pieces follow
  };

  void pump(std::uint32_t connection, Lock& lock);
  void pump_all(Lock& lock);
  std::uint32_t credit_connection() const { return 2 * settings_.connections; }
  std::uint32_t sending_connection(std::uint32_t channel) const {
    return (settings_.sends_first ? 0 : settings_.connections) + channel % settings_.connections;
  }
  std::uint32_t receiving_connection(std::uint32_t channel) const {
    return (settings_.sends_first ? settings_.connections : 0) + channel % settings_.connections;
  }
  std::optional<grpc::ByteBuffer> next_frame(std::uint32_t connection);
  std::optional<grpc::ByteBuffer> next_credit();
  grpc::ByteBuffer next_piece(Lane& lane);
  bool take_message(std::uint32_t connection);
  void finish_if_released(std::uint32_t channel, std::uint64_t sequence);
  void take_credit(const FrameHeader& header, Lock& lock);
  void take_close(Lane& lane);
  void take_data(std::uint32_t connection, const FrameHeader& header, FrameReader& reader,
                 Lock& lock);
  Incoming& incoming_of(std::uint32_t connection, const FrameHeader& header);
  void refuse(const RefusedInput& input);
  void give_up();
  void settle();
  void done(const convoy_transfer& transfer);

  PairSettings settings_;
  std::shared_ptr<Mailbox> mailbox_;
  TransportEvents& events_;
  SendFlow outgoing_;
  SentMessages sent_;
  ReceiveFlow incoming_;
  std::vector<Lane> lanes_;          // by connection; the last one is credit's
  std::set<std::uint32_t> credits_;  // channels whose credit must be sent
  std::map<std::pair<std::uint32_t, std::uint64_t>, InFlight> in_flight_;
  std::uint64_t pieces_ = 0;   // pieces that gRPC refers to
  std::uint32_t copying_ = 0;  // threads that write to spans now
  bool asked_ = false;
  bool connected_ = false;
  bool lost_ = false;
  // A loss before the event was asked for
  std::optional<std::pair<convoy_transport_reason, std::string>> unsaid_;
};

}  // namespace convoy::grpc_transport
