#pragma once

#include <grpcpp/server.h>

#include <convoy/transport.hpp>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "plugins/transports/grpc/pair.hpp"
#include "plugins/transports/grpc/settings.hpp"

namespace convoy::grpc_transport {

// Moves bytes between tasks on any hosts: streams of gRPC over several connections per pair,
// encrypted when there are certificates. Sent data are read in place. Received data are copied
// once. The task with the larger rank dials. Threads of gRPC move all bytes; the polling thread
// only takes events.
class GrpcTransport : public Transport, private StreamEvents, private grpc::CallbackGenericService {
 public:
  static constexpr std::uint32_t kPreference = CONVOY_PREFERENCE_NETWORK;
  static std::unique_ptr<Transport> open(const TransportHost& host,
                                         const convoy_transport_run& run);

  explicit GrpcTransport(Settings settings);
  ~GrpcTransport() override;

  void describe(convoy_transport_description& out) override;
  std::string address() override;
  void connect(std::uint32_t peer, std::string_view address) override;
  void expect(const convoy_transfer& transfer) override;
  void send(const convoy_transfer& transfer) override;
  std::uint64_t poll(std::span<convoy_transport_event> out, double seconds) override;
  void interrupt() override;
  std::optional<int> descriptor() override { return mailbox_->descriptor(); }

 private:
  using Lock = Pair::Lock;

  // A stream during its whole life.
  struct Link {
    std::unique_ptr<Stream> stream;
    std::shared_ptr<grpc::Channel> channel;  // for a stream that was dialed
    bool dialed = false;
    bool greeted = false;  // the other end's hello has arrived
    bool ended = false;
    std::uint32_t peer = 0;
    std::uint32_t connection = 0;
    double born = 0;  // time of creation in seconds
  };
  struct Peer {
    std::unique_ptr<Pair> pair;
    Endpoint endpoint{};
    double deadline = 0;  // for its connections
    double lost = 0;      // time of the loss
    std::map<std::uint32_t, double>
        redial{};           // per connection: the earliest time of the next attempt
    std::string refusal{};  // gRPC's reason for the last failed attempt to connect
  };

  void read(Stream& stream, const grpc::ByteBuffer& message) override;
  void written(Stream& stream, bool ok) override;
  void ended(Stream& stream, const grpc::Status& status) override;
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  void greet(Link& link, const grpc::ByteBuffer& message, Lock& lock);
  void answer(Link& link, Lock& lock);
  void refuse(Link& link, const RefusedInput& input);
  Peer& peer_of(std::uint32_t rank);
  Pair& pair_of(const convoy_transfer& transfer);
  void dial(std::uint32_t rank, std::uint32_t connection);
  static void redial(Peer& peer, std::uint32_t connection, const std::string& refusal);
  void look_after(Lock& lock);
  bool is_called(const Link& link) const;
  void look_after(std::uint32_t rank, Peer& peer, double time);
  void bury(Lock& lock);
  bool busy() const;
  bool wait_until(double deadline, const std::function<bool(Lock&)>& done);

  const Settings settings_;
  std::shared_ptr<Mailbox> mailbox_;
  std::mutex mutex_;
  TransportEvents events_;
  std::map<std::uint32_t, Peer> peers_;
  std::map<Stream*, Link> links_;
  bool interrupted_ = false;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace convoy::grpc_transport
