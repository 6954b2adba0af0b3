#pragma once

#include <convoy/transport_events.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/transports/shm/link.hpp"
#include "plugins/transports/shm/region.hpp"

namespace convoy::shm {

// The result of an introduction: a link and memory, or the reason why there is none.
struct Introduced {
  std::uint32_t peer = 0;
  std::unique_ptr<Region> region{};  // null: refused, `reason` and `text` say why
  Descriptor link{};
  std::size_t side = 0;  // 0: this task made the region
  Probe probe{};         // of the peer
  pid_t process = 0;     // of the peer
  convoy_transport_reason reason = CONVOY_REASON_NONE;
  std::string text{};
};

// How tasks find each other: the task of the larger rank dials and provides the pair's memory. The
// other one answers when connect has been called for that rank. Each shows the key of the run only
// to a process of the same user.
class Introductions {
 public:
  // Listens. The epoll descriptor watches links, with `id`.
  Introductions(const convoy_transport_run& run, const Probe& probe, int epoll, std::uint64_t id);

  const std::string& socket_name() const { return socket_name_; }
  // Whether a round has something to do even if epoll reports nothing.
  bool wants_to_dial() const;

  void dial(std::uint32_t peer, const std::string& socket);
  void await(std::uint32_t peer) { awaited_[peer] = true; }
  void forget(std::uint32_t peer);

  // Runs one round. Refused callers are counted in `events`.
  std::vector<Introduced> round(TransportEvents& events);

 private:
  // A peer to dial, or one that was dialled and has not answered yet.
  struct Dialled {
    std::string socket;
    std::unique_ptr<Region> region{};
    Descriptor link{};
    pid_t process = 0;
  };
  // A process that has dialled, and its first message.
  struct Caller {
    Descriptor link;
    double deadline;
    std::optional<Greeting> greeting{};
    Descriptor memory{};
    pid_t process = 0;
  };

  Greeting greeting() const;
  void accept_callers();
  std::optional<Introduced> hear_caller(Caller& caller);
  std::optional<Introduced> dial_or_hear(std::uint32_t peer, Dialled& it);
  Introduced hear_answer(std::uint32_t peer, Dialled& it, const Greeting& answer);

  convoy_transport_run run_;
  Probe probe_;
  int epoll_;
  std::uint64_t id_;
  std::string socket_name_;
  Descriptor listener_;
  std::map<std::uint32_t, Dialled> dialled_;
  std::map<std::uint32_t, bool> awaited_;
  std::vector<Caller> callers_;
};

// Seconds on the clock of deadlines.
double now();

}  // namespace convoy::shm
