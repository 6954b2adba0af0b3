#include "tests/benchmarks/transport_streams.hpp"

#include <convoy/sized.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <thread>
#include <vector>

namespace convoy::testing {

using conformance::Stopwatch;
using conformance::TransportEnd;

std::uint64_t Streams::messages() const {
  return std::clamp<std::uint64_t>((std::uint64_t{1} << 30) / bytes, 1, most_messages) / channels *
         channels;
}

double Streams::total_bytes() const {
  return static_cast<double>(messages() * bytes) * (both ? 2 : 1);
}

void bind_to_core(std::uint32_t rank) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(rank % std::max(1u, std::thread::hardware_concurrency()), &cores);
  ::sched_setaffinity(0, sizeof cores, &cores);
}

namespace {

// One direction of all channels, as one end sees it: a window of messages is always queued.
class Direction {
 public:
  Direction(TransportEnd& end, const Streams& streams, bool sends)
      : end_(end), streams_(streams), sends_(sends), memory_(streams.channels * kWindow) {
    for (auto& span : memory_) span.resize(streams.bytes);
  }
  void fill() {
    for (; queued_ < streams_.messages() && queued_ < done_ + memory_.size(); ++queued_) {
      auto transfer = make_sized<convoy_transfer>();
      transfer.peer = end_.other();
      transfer.channel = static_cast<std::uint32_t>(queued_ % streams_.channels);
      transfer.sequence = queued_ / streams_.channels;
      transfer.tag = end_.usual_tag(transfer.channel, transfer.sequence);
      transfer.memory = memory_[queued_ % memory_.size()].data();
      transfer.bytes = streams_.bytes;
      transfer.token = sends_ ? 1 : 0;
      sends_ ? end_.transport().send(transfer) : end_.transport().expect(transfer);
    }
  }
  void done() { ++done_; }
  bool finished() const { return done_ == streams_.messages(); }

 private:
  TransportEnd& end_;
  const Streams& streams_;
  bool sends_;
  std::vector<std::vector<std::byte>> memory_;
  std::uint64_t queued_ = 0;
  std::uint64_t done_ = 0;
};

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

// A connected socket of loopback: end 1 listens.
class LoopbackSocket {
 public:
  explicit LoopbackSocket(TransportEnd& end) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    const int first = ::socket(AF_INET, SOCK_STREAM, 0);
    if (end.rank() == 1) {
      require(::bind(first, generic, bytes) == 0 && ::listen(first, 1) == 0, "cannot listen");
      require(::getsockname(first, generic, &bytes) == 0, "no address");
    }
    const auto ports = end.meet(std::to_string(ntohs(address.sin_port)));
    if (end.rank() == 1) {
      number_ = ::accept(first, nullptr, nullptr);
      ::close(first);
    } else {
      address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(ports[1])));
      require(::connect(first, generic, bytes) == 0, "cannot connect");
      number_ = first;
    }
    const int on = 1;
    ::setsockopt(number_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~LoopbackSocket() { ::close(number_); }
  LoopbackSocket(const LoopbackSocket&) = delete;
  LoopbackSocket& operator=(const LoopbackSocket&) = delete;
  int number() const { return number_; }

 private:
  int number_ = -1;
};

// What one socket has left to carry in one direction.
struct Flow {
  int socket;
  bool sends;
  std::uint64_t left;
  std::vector<std::byte> memory;

  void move() {
    const std::size_t bytes = std::min<std::uint64_t>(left, memory.size());
    const ssize_t moved = sends ? ::send(socket, memory.data(), bytes, MSG_DONTWAIT | MSG_NOSIGNAL)
                                : ::recv(socket, memory.data(), bytes, MSG_DONTWAIT);
    require(moved > 0 || (moved < 0 && errno == EAGAIN), "a socket has failed");
    if (moved > 0) left -= static_cast<std::uint64_t>(moved);
  }
};

}  // namespace

double over_transport(TransportEnd& end, const Streams& streams) {
  bind_to_core(end.rank());
  end.run().channels = streams.channels;
  end.join();
  Direction outgoing(end, streams, true);
  Direction incoming(end, streams, false);
  const bool sends = streams.both || end.rank() == 0;
  const bool receives = streams.both || end.rank() == 1;
  end.meet();
  const Stopwatch watch;
  while ((sends && !outgoing.finished()) || (receives && !incoming.finished())) {
    if (receives) incoming.fill();
    if (sends) outgoing.fill();
    std::array<convoy_transport_event, 64> room;
    for (const convoy_transport_event& event : end.transport().poll(room, 1.0)) {
      require(event.kind == CONVOY_EVENT_DONE, "a message was not done");
      event.token == 1 ? outgoing.done() : incoming.done();
    }
  }
  const double seconds = watch.seconds();
  end.meet();
  return seconds;
}

double over_sockets(TransportEnd& end, const Streams& streams) {
  bind_to_core(end.rank());
  std::vector<std::unique_ptr<LoopbackSocket>> sockets;
  std::vector<Flow> flows;
  const std::uint64_t share = streams.messages() / streams.channels * streams.bytes;
  for (std::uint32_t channel = 0; channel < streams.channels; ++channel) {
    const int socket = sockets.emplace_back(std::make_unique<LoopbackSocket>(end))->number();
    const auto add = [&](bool sends) {
      flows.push_back({socket, sends, share, std::vector<std::byte>(streams.bytes)});
    };
    if (streams.both || end.rank() == 0) add(true);
    if (streams.both || end.rank() == 1) add(false);
  }
  end.meet();
  const Stopwatch watch;
  for (std::vector<pollfd> waits; !flows.empty(); waits.clear()) {
    for (const Flow& flow : flows)
      waits.push_back({flow.socket, static_cast<short>(flow.sends ? POLLOUT : POLLIN), 0});
    ::poll(waits.data(), waits.size(), 1000);
    for (std::size_t i = 0; i < flows.size(); ++i)
      if (waits[i].revents != 0) flows[i].move();
    std::erase_if(flows, [](const Flow& flow) { return flow.left == 0; });
  }
  const double seconds = watch.seconds();
  end.meet();
  return seconds;
}

}  // namespace convoy::testing
