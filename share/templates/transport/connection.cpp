#include "connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>

namespace plain_sockets {
namespace {

using convoy::RefusedInput;

enum FrameKind : std::uint32_t { kMessage = 0x51, kCredit = 0x52, kGoodbye = 0x53 };

constexpr double kGoodbyeSeconds = 1.0;
constexpr std::uint64_t kReadAtOnce = 16 << 20;

std::uint32_t checksum_of(const void* memory, std::size_t bytes) {
  Crc32c checksum;
  checksum.add(memory, bytes);
  return checksum.value();
}

}  // namespace

Connection::Connection(std::uint32_t peer, std::uint32_t generation, std::uint32_t channels,
                       convoy::TransportEvents& events)
    : peer_(peer),
      events_(events),
      sends_(channels),
      sent_(channels),
      receives_(generation, channels),
      credit_due_(channels) {}

void Connection::send(const convoy_transfer& transfer) {
  if (lost_) return events_.cancelled(transfer);
  sends_.add(transfer);
  sent_.add(transfer);
}

void Connection::expect(const convoy_transfer& transfer) {
  if (lost_) return events_.cancelled(transfer);
  try {
    if (const auto complete = receives_.expect(transfer)) events_.done(*complete);
    credit_due_[transfer.channel] = true;
  } catch (const RefusedInput& input) {
    events_.refused(peer_, input);
    lose(input.reason(), input.what());
  }
}

void Connection::progress() {
  if (!socket_) return;
  try {
    read();
    write();
    if (at_end_ && !lost_) ended(0);
  } catch (const RefusedInput& input) {
    events_.refused(peer_, input);
    lose(input.reason(), input.what());
  } catch (const std::system_error& error) {
    ended(error.code().value());
  }
}

void Connection::ended(int error) {
  if (heard_goodbye_) return lose(CONVOY_REASON_CLOSED, "it has closed its transport");
  lose(CONVOY_REASON_DIED, "its connection has ended", error);
}

void Connection::cancel() {
  lost_ = true;
  for (const auto& it : sent_.abandon())
    it.finished ? events_.done(it.transfer) : events_.cancelled(it.transfer);
  for (const convoy_transfer& it : receives_.abandon()) events_.cancelled(it);
  static_cast<void>(sends_.abandon());
  blocked_ = false;
  socket_ = Socket();
}

void Connection::lose(convoy_transport_reason reason, const std::string& text, int error) {
  if (lost_) return;
  events_.lost(peer_, reason, text, error);
  cancel();
}

void Connection::begin_frame(Frame frame, const void* payload) {
  frame.checksum = checksum_of(payload, frame.bytes);
  frame.own = checksum_of(&frame, offsetof(Frame, own));
  out_ = frame;
  out_done_ = 0;
}

bool Connection::next_frame() {
  const auto due = std::ranges::find(credit_due_, true);
  if (due != credit_due_.end()) {
    *due = false;
    const auto channel = static_cast<std::uint32_t>(due - credit_due_.begin());
    begin_frame({kCredit, channel, receives_.expected(channel)}, nullptr);
    return true;
  }
  out_message_ = sends_.next();
  if (out_message_) {
    const convoy_transfer& it = *out_message_;
    begin_frame({kMessage, it.channel, it.sequence, it.tag, it.bytes}, it.memory);
  }
  return out_message_.has_value();
}

void Connection::write() {
  blocked_ = false;
  while (!lost_ && (out_ || next_frame())) {
    const std::uint64_t whole = sizeof(Frame) + (out_message_ ? out_message_->bytes : 0);
    iovec parts[2] = {};
    std::uint64_t skip = out_done_;
    const auto part = [&](void* memory, std::uint64_t bytes) {
      const std::uint64_t gone = std::min(skip, bytes);
      skip -= gone;
      return iovec{static_cast<std::byte*>(memory) + gone, bytes - gone};
    };
    parts[0] = part(&*out_, sizeof(Frame));
    if (out_message_ && out_message_->bytes > 0)
      parts[1] = part(out_message_->memory, out_message_->bytes);
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent = ::sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) {
      blocked_ = true;
      return;
    }
    if (sent < 0) throw std::system_error(errno, std::generic_category());
    out_done_ += static_cast<std::uint64_t>(sent);
    if (out_done_ < whole) continue;
    out_.reset();
    if (!out_message_) continue;
    sent_.finish(out_message_->channel, out_message_->sequence,
                 [&](const convoy_transfer& it) { events_.done(it); });
    out_message_.reset();
  }
}

// Returns whether all wanted bytes have arrived.
bool Connection::receive(void* to, std::uint64_t wanted, std::uint64_t& have) {
  while (have < wanted) {
    const ssize_t came =
        ::recv(socket_.get(), static_cast<std::byte*>(to) + have, wanted - have, 0);
    if (came < 0 && errno == EINTR) continue;
    if (came < 0 && errno == EAGAIN) return false;
    if (came < 0) throw std::system_error(errno, std::generic_category());
    at_end_ = came == 0;
    if (at_end_) return false;
    if (in_payload_)
      in_checksum_.add(static_cast<std::byte*>(to) + have, static_cast<std::size_t>(came));
    have += static_cast<std::uint64_t>(came);
  }
  return true;
}

void Connection::read() {
  for (std::uint64_t read = 0; read < kReadAtOnce && !lost_ && !at_end_;) {
    if (!in_payload_) {
      if (!receive(&in_, sizeof in_, in_have_)) return;
      take_frame();
    }
    if (in_payload_) {
      if (!receive(in_memory_, in_.bytes, in_have_)) return;
      take_payload();
    }
    read += sizeof in_ + in_.bytes;
  }
}

void Connection::take_frame() {
  in_have_ = 0;
  if (in_.own != checksum_of(&in_, offsetof(Frame, own)))
    throw RefusedInput(CONVOY_REASON_CORRUPTED, "the checksum of a frame does not fit");
  if (in_.kind == kGoodbye) {
    heard_goodbye_ = true;
  } else if (in_.kind == kCredit) {
    sends_.grant(in_.channel, in_.sequence);
  } else if (in_.kind == kMessage) {
    in_memory_ =
        static_cast<std::byte*>(receives_.begin(in_.channel, in_.sequence, in_.tag, in_.bytes));
    in_payload_ = true;
    in_checksum_ = Crc32c();
  } else {
    throw RefusedInput(CONVOY_REASON_MALFORMED, "a frame is of no known kind");
  }
}

void Connection::take_payload() {
  in_payload_ = false;
  in_have_ = 0;
  if (in_checksum_.value() != in_.checksum)
    throw RefusedInput(CONVOY_REASON_CORRUPTED, "the checksum of a message does not fit");
  if (const auto transfer = receives_.finish(in_.channel)) events_.done(*transfer);
}

// If a socket is closed with unread bytes, the peer may lose data that it has not read yet.
void Connection::close() {
  if (!socket_) return;
  const bool between_frames = !out_;
  if (between_frames) {
    begin_frame({kGoodbye}, nullptr);
    static_cast<void>(::send(socket_.get(), &*out_, sizeof *out_, MSG_NOSIGNAL));
  }
  ::shutdown(socket_.get(), SHUT_WR);
  std::vector<std::byte> unread(65536);
  for (const double until = now() + kGoodbyeSeconds; now() < until;) {
    pollfd it{socket_.get(), POLLIN, 0};
    if (::poll(&it, 1, 100) <= 0) continue;
    const ssize_t came = ::recv(socket_.get(), unread.data(), unread.size(), 0);
    if (came == 0 || (came < 0 && errno != EAGAIN && errno != EINTR)) break;
  }
  socket_ = Socket();
}

}  // namespace plain_sockets
