#include "socket_transport.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

namespace plain_sockets {
namespace {

using convoy::RefusedInput;

constexpr const char* kPrefix = "plain-socket ";
constexpr double kRetrySeconds = 0.02;

Socket listen_for(const convoy_transport_run& run) {
  const Endpoint endpoint =
      run.listen_address == nullptr ? Endpoint{} : parse_endpoint(run.listen_address);
  if (!endpoint.host.starts_with("127.") && (run.flags & CONVOY_RUN_CLEAR_TEXT) == 0)
    throw std::invalid_argument("it has no encryption, and listens on loopback addresses only");
  return listen_on(endpoint);
}

}  // namespace

std::unique_ptr<convoy::Transport> SocketTransport::open(const convoy::TransportHost&,
                                                         const convoy_transport_run& run) {
  return std::make_unique<SocketTransport>(run);
}

SocketTransport::SocketTransport(const convoy_transport_run& run)
    : run_(convoy::without_texts(run)), listener_(listen_for(run)) {
  convoy::introduce(run_, greeting_);
}

SocketTransport::~SocketTransport() {
  for (auto& [rank, peer] : peers_) peer.connection->close();
}

void SocketTransport::describe(convoy_transport_description& out) {
  out.flags = CONVOY_TRANSPORT_DETECTS_DEATH;
  convoy::set_text(out.name, "sockets");
  convoy::set_text(out.detail, "one TCP connection per peer, CRC32C");
}

std::string SocketTransport::address() {
  return kPrefix + to_text(local_endpoint(listener_));
}

void SocketTransport::connect(std::uint32_t peer, std::string_view address) {
  if (peer >= run_.ranks || peer == run_.rank || peers_.contains(peer))
    throw std::runtime_error("task " + std::to_string(peer) + " cannot be connected");
  if (!address.starts_with(kPrefix))
    throw std::invalid_argument("this is no address of a plain socket");
  const Endpoint endpoint =
      parse_endpoint(std::string(address.substr(std::string_view(kPrefix).size())));
  Peer added{std::make_unique<Connection>(peer, run_.generation, run_.channels, events_),
             now() + run_.join_seconds};
  if (run_.rank > peer) added.dials = endpoint;
  if (interrupted_) added.connection->cancel();
  peers_.emplace(peer, std::move(added));
}

Connection& SocketTransport::connection_to(const convoy_transfer& transfer) {
  const auto found = peers_.find(transfer.peer);
  if (found == peers_.end()) throw std::runtime_error("connect was not called for this task");
  return *found->second.connection;
}

void SocketTransport::expect(const convoy_transfer& transfer) {
  connection_to(transfer).expect(transfer);
}

void SocketTransport::send(const convoy_transfer& transfer) {
  connection_to(transfer).send(transfer);
}

std::uint64_t SocketTransport::poll(std::span<convoy_transport_event> out, double seconds) {
  const double until = now() + seconds;
  for (;;) {
    work();
    const double left = until - now();
    if (!events_.empty() || left <= 0) break;
    wait(left);
  }
  return events_.take(out);
}

void SocketTransport::interrupt() {
  interrupted_ = true;
  for (auto& [rank, peer] : peers_)
    if (!peer.connection->lost()) peer.connection->cancel();
}

void SocketTransport::work() {
  accept_callers();
  for (auto& [rank, peer] : peers_) {
    Connection& it = *peer.connection;
    if (!it.established() && !it.lost()) {
      if (now() > peer.deadline)
        it.lose(CONVOY_REASON_UNREACHED, "no connection before the time had passed");
      else if (peer.dials)
        dial_or_hear(rank, peer);
    }
    it.progress();
  }
}

void SocketTransport::accept_callers() {
  for (Socket socket = accept_from(listener_); socket; socket = accept_from(listener_))
    callers_.push_back({std::move(socket), now() + run_.join_seconds});
  for (Caller& caller : callers_) {
    try {
      hear(caller);
    } catch (const RefusedInput& input) {
      events_.refused(CONVOY_NONE, input);
      Greeting answer;
      answer.refusal = input.reason();
      static_cast<void>(::send(caller.socket.get(), &answer, sizeof answer, MSG_NOSIGNAL));
      caller.socket = Socket();
    }
  }
  std::erase_if(callers_, [](const Caller& it) { return !it.socket || now() > it.deadline; });
}

void SocketTransport::hear(Caller& caller) {
  if (!caller.greeting) {
    caller.greeting = receive_greeting(caller.socket);
    if (!caller.greeting) return;
    convoy::require_same_run(*caller.greeting, run_);
  }
  const auto peer = peers_.find(caller.greeting->rank);
  if (peer == peers_.end()) return;  // connect was not called yet
  if (peer->second.dials || peer->second.connection->established() ||
      peer->second.connection->lost())
    throw RefusedInput(CONVOY_REASON_FOREIGN, "a task has connected that is connected already");
  if (!send_greeting(caller.socket, greeting_)) return;
  establish(peer->first, std::move(caller.socket));
  caller.socket = Socket();
}

void SocketTransport::dial_or_hear(std::uint32_t rank, Peer& peer) {
  try {
    if (!peer.dialled) {
      peer.dialled = dial(*peer.dials);
      peer.greeted = false;
    }
    if (!peer.greeted) peer.greeted = send_greeting(peer.dialled, greeting_);
    if (!peer.greeted) return;
    const auto answer = receive_greeting(peer.dialled);
    if (!answer) return;
    if (answer->refusal != CONVOY_REASON_NONE)
      return peer.connection->lose(static_cast<convoy_transport_reason>(answer->refusal),
                                   "it refuses this task");
    convoy::require_same_run(*answer, run_);
    establish(rank, std::move(peer.dialled));
  } catch (const RefusedInput&) {
    peer.dialled = Socket();  // dials again until the deadline
  } catch (const std::system_error&) {
    peer.dialled = Socket();
  }
}

void SocketTransport::establish(std::uint32_t rank, Socket socket) {
  events_.connected(rank);
  peers_.at(rank).connection->establish(std::move(socket));
}

void SocketTransport::wait(double seconds) const {
  std::vector<pollfd> sockets = {{listener_.get(), POLLIN, 0}};
  const auto watch = [&](int socket, bool writes) {
    sockets.push_back({socket, static_cast<short>(POLLIN | (writes ? POLLOUT : 0)), 0});
  };
  for (const Caller& it : callers_)
    if (!it.greeting) watch(it.socket.get(), false);
  for (const auto& [rank, peer] : peers_) {
    const Connection& it = *peer.connection;
    if (it.established()) watch(it.socket(), it.wants_to_write());
    if (!it.established() && !it.lost()) {
      if (peer.dialled && peer.greeted) watch(peer.dialled.get(), false);
      seconds = std::min(seconds, kRetrySeconds);
    }
  }
  ::poll(sockets.data(), sockets.size(), static_cast<int>(std::ceil(seconds * 1000)));
}

}  // namespace plain_sockets
