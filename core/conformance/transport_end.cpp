#include "core/conformance/transport_end.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/process/thread_seconds.hpp"

namespace convoy::conformance {
namespace {

// By the rules, only poll, open and close may take longer than 0.1 s. The rest is tolerance for a
// busy machine, on which a call may wait for threads of the transport.
constexpr double kCallSeconds = 1.0;
constexpr double kCloseSeconds = 5.5;
constexpr double kMessageSeconds = 10.0;
constexpr std::uint32_t kPlan = 7;

template <typename Call>
auto timed(const char* what, double allowed, Call call) {
  struct Check {
    const char* what;
    double allowed;
    Stopwatch watch{};
    double before = seconds_of_this_thread().waited;
    void end() const {
      const double own = watch.seconds() - (seconds_of_this_thread().waited - before);
      if (own > allowed) throw Wrong(fmt::format("{} took {:.1f} s", what, own));
    }
  } const check{what, allowed};
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    check.end();
  } else {
    auto result = call();
    check.end();
    return result;
  }
}

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

}  // namespace

TransportEnd::TransportEnd(const plugin::TransportPlugin& plugin, Meeting& meeting,
                           std::uint32_t rank, std::uint32_t ranks, std::uint32_t generation)
    : plugin_(plugin), meeting_(meeting) {
  run_.struct_size = sizeof run_;
  for (std::size_t i = 0; i < sizeof run_.key; ++i) run_.key[i] = static_cast<std::uint8_t>(i * 7);
  run_.rank = rank;
  run_.ranks = ranks;
  run_.generation = generation;
  run_.channels = 4;
  run_.peer_seconds = 2.0;
  run_.join_seconds = 5.0;
}

void TransportEnd::open() {
  timed("open", kCloseSeconds,
        [&] { transport_ = std::make_unique<plugin::OpenTransport>(plugin_, run_); });
}

std::vector<std::string> TransportEnd::addresses() {
  const std::string mine = timed("address", kCallSeconds, [&] { return transport_->address(); });
  if (mine != transport_->address()) throw Wrong("its address changes from one call to the next");
  return meet(mine);
}

void TransportEnd::connect(std::uint32_t peer, const std::string& address) {
  const auto refusal =
      timed("connect", kCallSeconds, [&] { return transport_->refuses_to_connect(peer, address); });
  if (refusal)
    throw Wrong(fmt::format("end {} refuses to connect to end {}, which is on this machine: {}",
                            rank(), peer, *refusal));
}

void TransportEnd::join() {
  open();
  const std::vector<std::string> all = addresses();
  for (std::uint32_t peer = 0; peer < ranks(); ++peer)
    if (peer != rank()) connect(peer, all.at(peer));
  poll_until([&] { return connected_.size() + 1 == ranks(); }, run_.join_seconds + 1.0,
             "all ends are connected");
  meet();
}

void TransportEnd::close() {
  timed("close", kCloseSeconds, [&] { transport_.reset(); });
}

convoy_message_tag TransportEnd::usual_tag(std::uint32_t channel, std::uint64_t sequence) const {
  return {run_.generation, kPlan, channel, static_cast<std::uint32_t>(sequence)};
}

TransportEnd::Token TransportEnd::queue(bool sent, std::uint32_t peer, std::uint32_t channel,
                                        void* memory, std::uint64_t bytes,
                                        const std::optional<convoy_message_tag>& tag) {
  std::vector<Token>& stream = streams_[{sent, peer, channel}];
  auto transfer = make_sized<convoy_transfer>();
  transfer.peer = peer;
  transfer.channel = channel;
  transfer.sequence = stream.size();
  transfer.tag = tag.value_or(usual_tag(channel, transfer.sequence));
  transfer.memory = memory;
  transfer.bytes = bytes;
  transfer.token = messages_.size() + 1;
  messages_.push_back({sent, peer, channel});
  stream.push_back(transfer.token);
  ++pending_;
  timed(sent ? "send" : "expect", kCallSeconds,
        [&] { sent ? transport_->send(transfer) : transport_->expect(transfer); });
  return transfer.token;
}

TransportEnd::Token TransportEnd::send(std::uint32_t peer, std::uint32_t channel,
                                       const void* memory, std::uint64_t bytes,
                                       std::optional<convoy_message_tag> tag) {
  return queue(true, peer, channel, const_cast<void*>(memory), bytes, tag);
}

TransportEnd::Token TransportEnd::expect(std::uint32_t peer, std::uint32_t channel, void* memory,
                                         std::uint64_t bytes,
                                         std::optional<convoy_message_tag> tag) {
  return queue(false, peer, channel, memory, bytes, tag);
}

std::size_t TransportEnd::poll(double seconds) {
  std::array<convoy_transport_event, 16> room;
  const auto events =
      timed("poll", seconds + kCallSeconds, [&] { return transport_->poll(room, seconds); });
  for (const convoy_transport_event& event : events) take(event);
  return events.size();
}

void TransportEnd::poll_for(double seconds) {
  for (const Stopwatch watch; watch.seconds() < seconds;) poll(0.02);
}

void TransportEnd::poll_until_quiet(double seconds) {
  constexpr double kMost = 10;
  const Stopwatch all;
  for (Stopwatch quiet; quiet.seconds() < seconds;) {
    if (poll(0.02) != 0) quiet = Stopwatch();
    if (all.seconds() > kMost)
      throw Wrong(fmt::format("events come for {} s where nothing happens", kMost));
  }
}

void TransportEnd::finish(Token token, const std::string& what, double each) {
  poll_until([&] { return state(token) != State::kPending; }, kMessageSeconds, what, each);
  if (state(token) == State::kCancelled) throw Wrong(what + " was cancelled");
}

void TransportEnd::finish_all(const std::string& what) {
  poll_until([&] { return pending_ == 0; }, kMessageSeconds, what);
  for (const Message& message : messages_)
    if (message.state == State::kCancelled) throw Wrong(what + ": one of them was cancelled");
}

const convoy_transport_event* TransportEnd::lost(std::uint32_t peer) const {
  const auto found = lost_.find(peer);
  return found == lost_.end() ? nullptr : &found->second;
}

void TransportEnd::throw_not_in_time(const std::string& what, double seconds) const {
  std::string losses;
  for (const auto& [peer, event] : lost_)
    losses += fmt::format("; end {} was lost: {}", peer, event.text);
  throw Wrong(fmt::format("end {}: it is not so after {} s that {} ({} messages are pending{})",
                          rank(), seconds, what, pending_, losses));
}

void TransportEnd::require_known_peer(const convoy_transport_event& event) const {
  if (event.peer >= ranks() || event.peer == rank())
    throw Wrong(fmt::format("an event of kind {} names peer {}", event.kind, event.peer));
}

void TransportEnd::take(const convoy_transport_event& event) {
  switch (event.kind) {
    case CONVOY_EVENT_DONE:
      return end_message(event, State::kDone);
    case CONVOY_EVENT_CANCELLED:
      return end_message(event, State::kCancelled);
    case CONVOY_EVENT_CONNECTED:
      require_known_peer(event);
      if (!connected_.emplace(event.peer, true).second)
        throw Wrong(fmt::format("peer {} is connected twice", event.peer));
      return;
    case CONVOY_EVENT_PEER_LOST:
      require_known_peer(event);
      if (event.reason == CONVOY_REASON_NONE || event.text[0] == '\0')
        throw Wrong(fmt::format("peer {} is lost without a reason", event.peer));
      if (!lost_.emplace(event.peer, event).second)
        throw Wrong(fmt::format("peer {} is lost twice", event.peer));
      return;
    case CONVOY_EVENT_REFUSED:
      if (event.count == 0) throw Wrong("nothing is reported as refused input");
      refused_ += event.count;
      return;
    default:
      throw Wrong(fmt::format("an event is of the unknown kind {}", event.kind));
  }
}

void TransportEnd::end_message(const convoy_transport_event& event, State state) {
  if (event.token == 0 || event.token > messages_.size())
    throw Wrong(fmt::format("an event has the token {}, which no message has", event.token));
  Message& message = messages_[event.token - 1];
  if (message.state != State::kPending)
    throw Wrong(fmt::format("the message with token {} ended twice", event.token));
  if (event.peer != message.peer)
    throw Wrong(fmt::format("the message with token {} ended with peer {} instead of {}",
                            event.token, event.peer, message.peer));
  const Stream stream{message.sent, message.peer, message.channel};
  const Token next = streams_.at(stream).at(ended_[stream]++);
  if (next != event.token)
    throw Wrong(fmt::format("message {} of a stream ended where {} was next", event.token, next));
  message.state = state;
  --pending_;
}

void fill_message(void* memory, std::uint64_t bytes, std::uint64_t seed) {
  auto* to = static_cast<unsigned char*>(memory);
  for (std::uint64_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = mixed(seed * 0x9e3779b97f4a7c15ULL + i);
    std::memcpy(to + i, &word, std::min<std::uint64_t>(8, bytes - i));
  }
}

std::optional<std::uint64_t> first_wrong_byte(const void* memory, std::uint64_t bytes,
                                              std::uint64_t seed) {
  const auto* from = static_cast<const unsigned char*>(memory);
  for (std::uint64_t i = 0; i < bytes; i += 8) {
    const std::uint64_t word = mixed(seed * 0x9e3779b97f4a7c15ULL + i);
    const std::uint64_t count = std::min<std::uint64_t>(8, bytes - i);
    if (std::memcmp(from + i, &word, count) == 0) continue;
    const auto* right = reinterpret_cast<const unsigned char*>(&word);
    for (std::uint64_t k = 0; k < count; ++k)
      if (from[i + k] != right[k]) return i + k;
  }
  return std::nullopt;
}

void require_message(const void* memory, std::uint64_t bytes, std::uint64_t seed,
                     const std::string& what) {
  if (const auto wrong = first_wrong_byte(memory, bytes, seed))
    throw Wrong(fmt::format("byte {} of {} of {} is not what was sent", *wrong, bytes, what));
}

}  // namespace convoy::conformance
