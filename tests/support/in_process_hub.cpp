#include "tests/support/in_process_hub.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace convoy::testing {
namespace {

constexpr std::uint64_t kEagerBytes = 65536;

convoy_transport_event event_of(std::uint32_t kind, std::uint32_t peer, std::uint64_t token = 0) {
  convoy_transport_event event{};
  event.kind = kind;
  event.peer = peer;
  event.token = token;
  return event;
}

bool same_message(const convoy_transfer& sent, const convoy_transfer& expected) {
  return std::memcmp(&sent.tag, &expected.tag, sizeof(sent.tag)) == 0 &&
         sent.bytes == expected.bytes && sent.sequence == expected.sequence;
}

}  // namespace

Hub::Hub(std::uint32_t ranks, const InProcessOptions& options)
    : options_(options), random_(options.seed), ends_(ranks) {
  for (End& end : ends_) end.descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  thread_ = std::thread([this] { deliver_all(); });
}
Hub::~Hub() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  thread_.join();
  for (End& end : ends_) close(end.descriptor);
}

void Hub::connect(std::uint32_t rank, std::uint32_t peer) {
  const std::lock_guard lock(mutex_);
  tell(rank, event_of(CONVOY_EVENT_CONNECTED, peer));
}

void Hub::add(std::uint32_t rank, const convoy_transfer& transfer, bool sends) {
  const std::lock_guard lock(mutex_);
  End& end = ends_[rank];
  if (end.interrupted || end.lost.contains(transfer.peer))
    return tell(rank, event_of(CONVOY_EVENT_CANCELLED, transfer.peer, transfer.token));
  Stream& stream = sends ? streams_[{rank, transfer.peer, transfer.channel}]
                         : streams_[{transfer.peer, rank, transfer.channel}];
  if (sends)
    send(rank, stream, transfer);
  else
    stream.expected.push_back(transfer);
  changed_.notify_all();
}

std::uint64_t Hub::poll(std::uint32_t rank, std::span<convoy_transport_event> out, double seconds) {
  std::unique_lock lock(mutex_);
  End& end = ends_[rank];
  end.arrived.wait_for(lock, std::chrono::duration<double>(seconds),
                       [&] { return !end.events.empty(); });
  const std::uint64_t count = std::min(out.size(), end.events.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    out[i] = end.events.front();
    end.events.pop_front();
  }
  std::uint64_t rings = 0;
  if (end.events.empty()) static_cast<void>(!read(end.descriptor, &rings, sizeof(rings)));
  return count;
}

void Hub::interrupt(std::uint32_t rank) {
  const std::lock_guard lock(mutex_);
  ends_[rank].interrupted = true;
  cancel_of(rank, std::nullopt);
}

void Hub::lose(std::uint32_t rank, std::uint32_t reason, const std::string& text) {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t other = 0; other < ends_.size(); ++other)
    if (other != rank) lose_peer(other, rank, reason, text);
  if (reason != CONVOY_REASON_CLOSED) return;
  ends_[rank].interrupted = true;
  cancel_of(rank, std::nullopt);
  ends_[rank].events.clear();
}

void Hub::drop_after(std::uint32_t from, std::uint32_t to, std::uint64_t messages) {
  const std::lock_guard lock(mutex_);
  passes_[{from, to}] = messages;
}

void Hub::stop(std::uint32_t rank, bool stopped) {
  const std::lock_guard lock(mutex_);
  ends_[rank].stopped = stopped;
  changed_.notify_all();
}

void Hub::tell(std::uint32_t rank, const convoy_transport_event& event) {
  ends_[rank].events.push_back(event);
  ends_[rank].arrived.notify_all();
  const std::uint64_t one = 1;
  static_cast<void>(!write(ends_[rank].descriptor, &one, sizeof(one)));
}

void Hub::send(std::uint32_t rank, Stream& stream, const convoy_transfer& transfer) {
  stream.sent.push_back({transfer});
  if (!options_.eager || transfer.bytes > kEagerBytes) return;
  const auto* bytes = static_cast<const std::byte*>(transfer.memory);
  stream.sent.back().copy.emplace(bytes, bytes + transfer.bytes);
  tell(rank, event_of(CONVOY_EVENT_DONE, transfer.peer, transfer.token));
}

void Hub::lose_peer(std::uint32_t rank, std::uint32_t peer, std::uint32_t reason,
                    const std::string& text) {
  if (!ends_[rank].lost.insert(peer).second) return;
  convoy_transport_event event = event_of(CONVOY_EVENT_PEER_LOST, peer);
  event.reason = reason;
  set_text(event.text, text);
  tell(rank, event);
  cancel_of(rank, peer);
}

// Cancels all of the task's messages, or those with one peer.
void Hub::cancel_of(std::uint32_t rank, std::optional<std::uint32_t> peer) {
  for (auto& [key, stream] : streams_) {
    const auto& [from, to, channel] = key;
    if (from == rank && (!peer || to == *peer)) {
      for (const Sent& it : stream.sent)
        if (!it.copy) tell(rank, event_of(CONVOY_EVENT_CANCELLED, to, it.transfer.token));
      stream.sent.clear();
      stream.due.reset();
    }
    if (to == rank && (!peer || from == *peer)) {
      for (const convoy_transfer& it : stream.expected)
        tell(rank, event_of(CONVOY_EVENT_CANCELLED, from, it.token));
      stream.expected.clear();
      stream.due.reset();
    }
  }
}

bool Hub::moves(const StreamKey& key, const Stream& stream) const {
  const auto& [from, to, channel] = key;
  const auto passes = passes_.find({from, to});
  return !stream.sent.empty() && !stream.expected.empty() && !ends_[from].stopped &&
         !ends_[to].stopped && (passes == passes_.end() || passes->second > 0);
}

void Hub::deliver_all() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const auto now = Clock::now();
    auto next = now + std::chrono::milliseconds(100);
    for (auto& [key, stream] : streams_)
      while (moves(key, stream)) {
        if (!stream.due) stream.due = now + delay();
        next = std::min(next, *stream.due);
        if (*stream.due > now) break;
        deliver(key, stream);
      }
    if (next > now) changed_.wait_until(lock, next);
  }
}

Hub::Clock::duration Hub::delay() {
  const double fraction = static_cast<double>(random_() % 1024) / 1024;
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(fraction * options_.longest_delay));
}

void Hub::deliver(const StreamKey& key, Stream& stream) {
  const auto& [from, to, channel] = key;
  const Sent sent = std::move(stream.sent.front());
  const convoy_transfer expected = stream.expected.front();
  stream.sent.pop_front();
  stream.expected.pop_front();
  stream.due.reset();
  if (const auto passes = passes_.find({from, to}); passes != passes_.end()) --passes->second;
  if (!same_message(sent.transfer, expected)) {
    tell(to, event_of(CONVOY_EVENT_CANCELLED, from, expected.token));
    if (!sent.copy) tell(from, event_of(CONVOY_EVENT_CANCELLED, to, sent.transfer.token));
    lose_peer(to, from, CONVOY_REASON_UNEXPECTED, "a message is another one than expected");
    return lose_peer(from, to, CONVOY_REASON_DIED, "it refused a message");
  }
  const void* bytes = sent.copy ? sent.copy->data() : sent.transfer.memory;
  std::memcpy(expected.memory, bytes, expected.bytes);
  tell(to, event_of(CONVOY_EVENT_DONE, from, expected.token));
  if (!sent.copy) tell(from, event_of(CONVOY_EVENT_DONE, to, sent.transfer.token));
}

}  // namespace convoy::testing
