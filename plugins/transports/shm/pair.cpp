#include "plugins/transports/shm/pair.hpp"

#include <poll.h>

#include <algorithm>
#include <cstring>

namespace convoy::shm {

enum FrameKind : std::uint32_t {
  kMessage = 1,  // a message begins; its first bytes follow
  kPart = 2,     // more bytes of the message follow
  kOffer = 3,    // a message, to be read from the sender's memory
  kTaken = 4,    // an offered message has been read
  kCredit = 5    // this many messages of the channel are expected
};

// The header before payload in a ring. Both are padded to multiples of their alignment.
struct alignas(64) Frame {
  std::uint32_t kind = 0;
  std::uint32_t channel = 0;
  std::uint64_t sequence = 0;
  convoy_message_tag tag{};
  std::uint64_t bytes = 0;    // of the whole message
  std::uint64_t address = 0;  // kOffer
  std::uint64_t payload = 0;  // bytes that follow
};
static_assert(sizeof(Frame) == 64);

namespace {

constexpr std::uint64_t kPayload = 64 * 1024;  // most bytes of one frame
constexpr std::uint64_t kLeastPayload = 4096;  // smaller parts of a message are not worth a frame
// below this size, two copies cost less than a system call
constexpr std::uint64_t kPullFrom = 16 * 1024;
constexpr std::uint64_t kPullPart = 1 << 20;
constexpr std::uint64_t kReadAtOnce = 32 << 20;  // some milliseconds

std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + sizeof(Frame) - 1) / sizeof(Frame) * sizeof(Frame);
}

}  // namespace

Pair::Pair(std::uint32_t peer, std::uint32_t generation, std::uint32_t channels,
           TransportEvents& events)
    : peer_(peer),
      events_(events),
      sends_(channels),
      sent_(channels),
      receives_(generation, channels),
      credit_due_(channels) {}

// The peer reads what is in the ring, but nothing more of this task's memory.
Pair::~Pair() {
  if (region_ == nullptr) return;
  revoke();
  own().closed.store(1, std::memory_order_seq_cst);
}

// After this, the peer knows that the data it reads is not the message.
void Pair::revoke() {
  own().revoked.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Pair::send(const convoy_transfer& transfer) {
  if (lost_) return events_.cancelled(transfer);
  sends_.add(transfer);
  sent_.add(transfer);
}

void Pair::expect(const convoy_transfer& transfer) {
  if (lost_) return events_.cancelled(transfer);
  try {
    if (const auto complete = receives_.expect(transfer)) events_.done(*complete);
    credit_due_[transfer.channel] = true;
  } catch (const RefusedInput& input) {
    events_.refused(peer_, input);
    lose(input.reason(), input.what());
  }
}

void Pair::establish(std::unique_ptr<Region> region, Descriptor socket, std::size_t side,
                     pid_t process) {
  region_ = std::move(region);
  socket_ = std::move(socket);
  side_ = side;
  process_ = process;
  writer_.emplace(region_->state().rings[side], region_->ring(side));
  reader_.emplace(region_->state().rings[1 - side], region_->ring(1 - side));
  own().pulls.store(process == 0 ? 0 : 1, std::memory_order_release);
}

bool Pair::progress() {
  if (region_ == nullptr) return false;
  try {
    const bool came = read();
    const bool moved = write() || came;
    if (!lost_ && hung_up_ && !pulled_ && reader_->available() == 0) {
      const bool closed = other().closed.load(std::memory_order_acquire) != 0;
      lose(closed ? CONVOY_REASON_CLOSED : CONVOY_REASON_DIED,
           closed ? "it has closed its transport" : "its process has ended");
    }
    return moved;
  } catch (const RefusedInput& input) {
    events_.refused(peer_, input);
    lose(input.reason(), input.what());
    return true;
  }
}

void Pair::hear() {
  if (region_ != nullptr && !silence_bell(socket_)) hung_up_ = true;
}

bool Pair::fall_asleep() {
  if (region_ == nullptr) return false;
  // The order matters: a peer that clears `blocked` sees that this end is asleep, and rings.
  own().asleep.store(1, std::memory_order_relaxed);
  own().blocked.store(wants_room_ ? 1 : 0, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  try {
    return pulled_ || reader_->available() > 0 ||
           (wants_room_ && writer_->room() >= sizeof(Frame) + kLeastPayload);
  } catch (const RefusedInput&) {
    return true;
  }
}

void Pair::wake_up() {
  if (region_ != nullptr) own().asleep.store(0, std::memory_order_relaxed);
}

void Pair::wake_peer() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (other().asleep.load(std::memory_order_relaxed) != 0 &&
      other().asleep.exchange(0, std::memory_order_seq_cst) != 0)
    ring_bell(socket_);
}

void Pair::cancel() {
  lost_ = true;
  if (region_ != nullptr) revoke();
  for (const SentMessages::Message& it : sent_.abandon())
    it.finished ? events_.done(it.transfer) : events_.cancelled(it.transfer);
  for (const convoy_transfer& it : receives_.abandon()) events_.cancelled(it);
  static_cast<void>(sends_.abandon());
  outgoing_.reset();
  arriving_.reset();
  pulled_.reset();
  writer_.reset();
  reader_.reset();
  if (region_ != nullptr) own().closed.store(1, std::memory_order_seq_cst);
  region_.reset();
  socket_ = Descriptor();
}

void Pair::lose(convoy_transport_reason reason, const std::string& text, int error) {
  if (lost_) return;
  events_.lost(peer_, reason, text, error);
  cancel();
}

bool Pair::has_room(std::uint64_t bytes) {
  if (writer_->room() >= bytes) return true;
  wants_room_ = true;
  return false;
}

void Pair::write_frame(const Frame& frame, const std::byte* payload) {
  std::byte* const to = writer_->next();
  std::memcpy(to, &frame, sizeof frame);
  if (payload != nullptr) std::memcpy(to + sizeof frame, payload, frame.payload);
  writer_->publish(sizeof frame + padded(frame.payload));
}

bool Pair::write() {
  if (region_ == nullptr) return false;
  wants_room_ = false;
  bool moved = false;
  while (write_control() || write_message()) moved = true;
  if (moved) wake_peer();
  return moved;
}

bool Pair::write_control() {
  bool moved = false;
  for (; !taken_.empty() && has_room(sizeof(Frame)); moved = true) {
    write_frame(
        {.kind = kTaken, .channel = taken_.front().channel, .sequence = taken_.front().sequence});
    taken_.pop_front();
  }
  for (std::uint32_t channel = 0; channel < credit_due_.size(); ++channel) {
    if (!credit_due_[channel] || !has_room(sizeof(Frame))) continue;
    write_frame({.kind = kCredit, .channel = channel, .sequence = receives_.expected(channel)});
    credit_due_[channel] = false;
    moved = true;
  }
  return moved;
}

// Writes one frame of the message whose turn it is.
bool Pair::write_message() {
  if (!has_room(sizeof(Frame) + kLeastPayload)) return false;
  if (!outgoing_) {
    outgoing_ = sends_.next();
    outgoing_done_ = 0;
  }
  if (!outgoing_) {
    // Control frames may wait for room, too.
    if (taken_.empty() && std::ranges::find(credit_due_, true) == credit_due_.end())
      wants_room_ = false;
    return false;
  }
  const convoy_transfer& it = *outgoing_;
  Frame frame{.kind = outgoing_done_ == 0 ? kMessage : kPart,
              .channel = it.channel,
              .sequence = it.sequence,
              .tag = it.tag,
              .bytes = it.bytes};
  if (outgoing_done_ == 0 && it.bytes >= kPullFrom &&
      other().pulls.load(std::memory_order_acquire) != 0) {
    frame.kind = kOffer;
    frame.address = reinterpret_cast<std::uint64_t>(it.memory);
    write_frame(frame);
    offered_.push_back({it.channel, it.sequence});
    outgoing_.reset();
    return true;
  }
  frame.payload = std::min({it.bytes - outgoing_done_, kPayload, writer_->room() - sizeof(Frame)});
  write_frame(frame, static_cast<const std::byte*>(it.memory) + outgoing_done_);
  outgoing_done_ += frame.payload;
  if (outgoing_done_ == it.bytes) {
    finish_send(it.channel, it.sequence);
    outgoing_.reset();
  }
  return true;
}

bool Pair::read() {
  if (region_ == nullptr) return false;
  std::uint64_t budget = kReadAtOnce;
  bool moved = false;
  for (; budget > 0 && !lost_; moved = true) {
    if (pulled_) {
      continue_pull(budget);
      continue;
    }
    const std::uint64_t available = reader_->available();
    if (available == 0) break;
    Frame frame;
    if (available >= sizeof frame) std::memcpy(&frame, reader_->next(), sizeof frame);
    const std::uint64_t whole = sizeof frame + padded(std::min(frame.payload, kRingBytes));
    if (available < sizeof frame || available < whole || frame.payload > kPayload)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "what is in the ring is no frame");
    handle(frame, reader_->next() + sizeof frame);
    reader_->consume(whole);
    budget -= std::min(budget, whole);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (other().blocked.load(std::memory_order_relaxed) != 0 &&
        other().blocked.exchange(0, std::memory_order_acquire) != 0)
      wake_peer();
  }
  return moved;
}

void Pair::handle(const Frame& frame, const std::byte* payload) {
  switch (frame.kind) {
    case kMessage:
    case kOffer:
      return begin_message(frame, payload);
    case kPart:
      if (!arriving_ || arriving_->channel != frame.channel)
        throw RefusedInput(CONVOY_REASON_MALFORMED, "a part came without its message");
      return take_payload(payload, frame.payload);
    case kTaken:
      return take_offer_back(frame);
    case kCredit:
      return sends_.grant(frame.channel, frame.sequence);
    default:
      throw RefusedInput(CONVOY_REASON_MALFORMED, "a frame is of no known kind");
  }
}

void Pair::begin_message(const Frame& frame, const std::byte* payload) {
  if (arriving_)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "a message came in the middle of another one");
  auto* const memory = static_cast<std::byte*>(
      receives_.begin(frame.channel, frame.sequence, frame.tag, frame.bytes));
  if (frame.kind == kOffer) {
    if (process_ == 0 || frame.payload > 0)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "an offer came that nobody can take");
    pulled_ = {frame.channel, frame.sequence, memory, frame.address, frame.bytes};
    return;
  }
  arriving_ = {frame.channel, memory, frame.bytes};
  take_payload(payload, frame.payload);
}

void Pair::take_payload(const std::byte* payload, std::uint64_t bytes) {
  if (bytes > arriving_->left || (bytes == 0 && arriving_->left > 0))
    throw RefusedInput(CONVOY_REASON_MALFORMED, "a message has more bytes than it said");
  if (bytes > 0) std::memcpy(arriving_->next, payload, bytes);
  arriving_->next += bytes;
  arriving_->left -= bytes;
  if (arriving_->left > 0) return;
  const std::uint32_t channel = arriving_->channel;
  arriving_.reset();
  finish_receive(channel);
}

// The bytes are those of the message only if, after all were read, the sender lives and has not
// revoked it. The fence orders the load of `revoked` after the reading. The sender's fence orders
// its store of `revoked` before new contents.
void Pair::continue_pull(std::uint64_t& budget) {
  const std::uint64_t part = std::min(pulled_->left, kPullPart);
  const int error = pull(process_, pulled_->to, pulled_->from, part);
  if (error != 0)
    return lose(CONVOY_REASON_DIED,
                error == ESRCH ? "its process has ended" : "its memory cannot be read", error);
  pulled_->to += part;
  pulled_->from += part;
  pulled_->left -= part;
  budget -= std::min(budget, part);
  if (pulled_->left > 0) return;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (other().revoked.load(std::memory_order_relaxed) != 0 || !peer_lives())
    return lose(other().closed.load() != 0 ? CONVOY_REASON_CLOSED : CONVOY_REASON_DIED,
                "it ended in the middle of a message");
  const Pulled it = *pulled_;
  pulled_.reset();
  taken_.push_back({it.channel, it.sequence});
  finish_receive(it.channel);
}

void Pair::take_offer_back(const Frame& frame) {
  if (offered_.empty() || offered_.front().channel != frame.channel ||
      offered_.front().sequence != frame.sequence)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "the peer has taken what it was not offered");
  offered_.pop_front();
  finish_send(frame.channel, frame.sequence);
}

void Pair::finish_receive(std::uint32_t channel) {
  if (const auto transfer = receives_.finish(channel)) events_.done(*transfer);
}

void Pair::finish_send(std::uint32_t channel, std::uint64_t sequence) {
  sent_.finish(channel, sequence, [&](const convoy_transfer& it) { events_.done(it); });
}

// The kernel closes a process's socket before another process can get its number. The socket may
// still hold unread rings of the peer.
bool Pair::peer_lives() const {
  pollfd it{socket_.get(), POLLRDHUP, 0};
  return ::poll(&it, 1, 0) == 0;
}

}  // namespace convoy::shm
