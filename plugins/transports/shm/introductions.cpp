#include "plugins/transports/shm/introductions.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <convoy/greeting.hpp>
#include <system_error>
#include <utility>

#include "plugins/transports/shm/address.hpp"

namespace convoy::shm {
namespace {

constexpr std::size_t kMostCallers = 256;

Introduced refusal_of(std::uint32_t peer, convoy_transport_reason reason, std::string text) {
  Introduced result{.peer = peer};
  result.reason = reason;
  result.text = std::move(text);
  return result;
}

}  // namespace

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Introductions::Introductions(const convoy_transport_run& run, const Probe& probe, int epoll,
                             std::uint64_t id)
    : run_(run),
      probe_(probe),
      epoll_(epoll),
      id_(id),
      socket_name_(random_socket_name()),
      listener_(listen_at(socket_name_)) {
  watch(epoll_, listener_, id_, EPOLL_CTL_ADD);
}

Greeting Introductions::greeting() const {
  Greeting mine;
  introduce(run_, mine);
  mine.probe = probe_;
  return mine;
}

bool Introductions::wants_to_dial() const {
  return std::ranges::any_of(dialled_, [](const auto& it) { return !it.second.link; });
}

void Introductions::dial(std::uint32_t peer, const std::string& socket) {
  dialled_[peer].socket = socket;
}

void Introductions::forget(std::uint32_t peer) {
  dialled_.erase(peer);
  awaited_.erase(peer);
}

std::vector<Introduced> Introductions::round(TransportEvents& events) {
  std::vector<Introduced> all;
  accept_callers();
  for (Caller& caller : callers_) {
    try {
      if (auto introduced = hear_caller(caller)) all.push_back(std::move(*introduced));
    } catch (const RefusedInput& input) {
      events.refused(CONVOY_NONE, input);
      Greeting answer;
      answer.refusal = input.reason();
      if (caller.greeting) send_greeting(caller.link, answer, -1);
      caller.link = Descriptor();
    }
  }
  std::erase_if(callers_, [](const Caller& it) { return !it.link || now() > it.deadline; });
  for (auto& [peer, it] : dialled_)
    if (auto introduced = dial_or_hear(peer, it)) all.push_back(std::move(*introduced));
  for (const Introduced& it : all) forget(it.peer);
  return all;
}

void Introductions::accept_callers() {
  while (callers_.size() < kMostCallers) {
    auto link = accept_from(listener_);
    if (!link) return;
    watch(epoll_, *link, id_, EPOLL_CTL_ADD);
    callers_.push_back({std::move(*link), now() + run_.join_seconds});
  }
}

// Answers a caller once connect has been called for its rank. The caller then no longer owns the
// link.
std::optional<Introduced> Introductions::hear_caller(Caller& caller) {
  if (!caller.greeting) {
    const pid_t process = peer_process(caller.link);
    auto heard = receive_greeting(caller.link);
    if (!heard) return std::nullopt;
    caller.greeting = heard->first;
    caller.memory = std::move(heard->second);
    caller.process = process;
    require_same_run(*caller.greeting, run_);
  }
  const std::uint32_t peer = caller.greeting->rank;
  if (!awaited_.contains(peer)) {
    if (!silence_bell(caller.link)) caller.link = Descriptor();  // the caller has gone
    return std::nullopt;
  }
  Introduced result{.peer = peer};
  result.region = std::make_unique<Region>(caller.memory.release());
  result.region->close_descriptor();
  result.side = 1;
  result.probe = caller.greeting->probe;
  result.process = caller.process;
  send_greeting(caller.link, greeting(), -1);
  result.link = std::move(caller.link);
  caller.link = Descriptor();
  return result;
}

std::optional<Introduced> Introductions::dial_or_hear(std::uint32_t peer, Dialled& it) {
  try {
    if (!it.link) {
      auto link = ::convoy::shm::dial(it.socket);
      if (!link) return std::nullopt;
      it.process = peer_process(*link);  // before the key is sent
      it.region = std::make_unique<Region>();
      it.link = std::move(*link);
      watch(epoll_, it.link, id_, EPOLL_CTL_ADD);
      send_greeting(it.link, greeting(), it.region->descriptor());
      it.region->close_descriptor();
      return std::nullopt;
    }
    auto heard = receive_greeting(it.link);
    if (!heard) return std::nullopt;
    return hear_answer(peer, it, heard->first);
  } catch (const std::system_error& error) {
    return refusal_of(peer, CONVOY_REASON_UNREACHED, error.what());
  } catch (const RefusedInput& input) {
    return refusal_of(peer, input.reason(), input.what());
  }
}

Introduced Introductions::hear_answer(std::uint32_t peer, Dialled& it, const Greeting& answer) {
  if (answer.refusal != CONVOY_REASON_NONE)
    return refusal_of(peer, static_cast<convoy_transport_reason>(answer.refusal),
                      "task " + std::to_string(peer) +
                          " refuses: it is of another run, generation or number of tasks");
  require_same_run(answer, run_);
  Introduced result{.peer = peer};
  result.process = it.process;
  result.probe = answer.probe;
  result.region = std::move(it.region);
  result.link = std::move(it.link);
  return result;
}

}  // namespace convoy::shm
