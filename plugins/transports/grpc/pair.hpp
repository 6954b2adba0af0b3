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

// What a pair needs of its run.
struct PairSettings {
  std::uint32_t peer = 0;
  std::uint32_t generation = 0;
  std::uint32_t channels = 1;
  // Each direction has so many connections of its own, those of the smaller rank first, and its
  // channel c goes over the one of index c % connections. What a receiver must tell the sender, its
  // room for more (HTTP/2's windows) above all, so comes back on a connection that carries nothing
  // else; behind messages on a slow link it would keep the sender waiting. The last connection
  // carries credit alone, for the same reason.
  std::uint32_t connections = 1;
  bool sends_first = false;  // this task has the smaller rank
  bool checked = false;      // what is sent carries checksums
};

// This task and one peer: messages, credit, and the connections that carry them. All functions want
// the transport's mutex held; those that get the lock give it up while they copy or write.
class Pair {
 public:
  using Lock = std::unique_lock<std::mutex>;
  Pair(const PairSettings& settings, std::shared_ptr<Mailbox> mailbox, TransportEvents& events);

  void send(const convoy_transfer& transfer, Lock& lock);
  void expect(const convoy_transfer& transfer, Lock& lock);

  // connect was called: from here on there are events.
  void ask();
  bool asked() const { return asked_; }
  bool connected() const { return connected_; }
  bool lost() const { return lost_; }
  bool has_stream(std::uint32_t connection) const { return lanes_[connection].stream != nullptr; }
  // The first message on this connection is being written.
  void reserve(std::uint32_t connection) { lanes_[connection].writing = true; }
  // Both ends know who is there, on this connection.
  void attach(std::uint32_t connection, Stream& stream, Lock& lock);

  // From streams, which are attached.
  void read(std::uint32_t connection, const grpc::ByteBuffer& message, Lock& lock);
  void written(std::uint32_t connection, bool ok, Lock& lock);
  void ended(std::uint32_t connection, const std::string& reason);

  // A piece of a message is released.
  void released(const Released& piece);
  // The peer is lost, once: its messages end as soon as nobody refers to their spans.
  void lose(convoy_transport_reason reason, const std::string& text);
  // As if it were lost, without saying so.
  void cancel();
  // Tells the peer that nothing follows. True: it is told, or cannot be.
  bool say_goodbye(Lock& lock);
  // No span is referred to.
  bool released_all() const { return pieces_ == 0 && copying_ == 0; }
  // Ends connections in the middle of what they write.
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
    bool closing = false;      // CLOSE is to be sent
    bool said_close = false;   // and is sent
    bool heard_close = false;  // the peer's has come
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
  std::set<std::uint32_t> credits_;  // channels whose credit is to be sent
  std::map<std::pair<std::uint32_t, std::uint64_t>, InFlight> in_flight_;
  std::uint64_t pieces_ = 0;   // that gRPC refers to
  std::uint32_t copying_ = 0;  // threads that write to spans
  bool asked_ = false;
  bool connected_ = false;
  bool lost_ = false;
  std::optional<std::pair<convoy_transport_reason, std::string>>
      unsaid_;  // lost before it was asked
};

}  // namespace convoy::grpc_transport
