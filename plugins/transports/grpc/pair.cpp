#include "plugins/transports/grpc/pair.hpp"

#include <algorithm>

#include "plugins/transports/grpc/sockets.hpp"

namespace convoy::grpc_transport {
namespace {

// Reports a piece of a sender's memory as released once gRPC no longer refers to it.
struct Piece {
  std::shared_ptr<Mailbox> mailbox;
  Released released;
};

void release_piece(void* data) {
  const std::unique_ptr<Piece> piece(static_cast<Piece*>(data));
  piece->mailbox->release(piece->released);
}

[[noreturn]] void refuse_frame(const std::string& text) {
  throw RefusedInput(CONVOY_REASON_MALFORMED, text);
}

}  // namespace

Pair::Pair(const PairSettings& settings, std::shared_ptr<Mailbox> mailbox, TransportEvents& events)
    : settings_(settings),
      mailbox_(std::move(mailbox)),
      events_(events),
      outgoing_(settings.channels),
      sent_(settings.channels),
      incoming_(settings.generation, settings.channels),
      lanes_(credit_connection() + 1) {}

void Pair::done(const convoy_transfer& transfer) {
  events_.done(transfer);
  mailbox_->wake();
}

void Pair::send(const convoy_transfer& transfer, Lock& lock) {
  outgoing_.add(transfer);
  if (lost_)
    settle();
  else if (connected_)
    pump(sending_connection(transfer.channel), lock);
}

void Pair::expect(const convoy_transfer& transfer, Lock& lock) {
  try {
    if (const auto complete = incoming_.expect(transfer)) done(*complete);
  } catch (const RefusedInput& input) {
    refuse(input);
  }
  if (lost_) {
    settle();
    return;
  }
  credits_.insert(transfer.channel);
  if (connected_) pump(credit_connection(), lock);
}

void Pair::ask() {
  asked_ = true;
  if (connected_) events_.connected(settings_.peer);
  if (unsaid_) events_.lost(settings_.peer, unsaid_->first, unsaid_->second);
  mailbox_->wake();
}

void Pair::attach(std::uint32_t connection, Stream& stream, Lock& lock) {
  Lane& attached_lane = lanes_[connection];
  attached_lane.stream = &stream;
  attached_lane.local_port = stream.local_port;
  attached_lane.remote_port = stream.remote_port;
  const auto attached = [](const Lane& lane) { return lane.stream != nullptr; };
  if (connected_ || lost_ || !std::ranges::all_of(lanes_, attached)) return;
  connected_ = true;
  if (asked_) events_.connected(settings_.peer);
  mailbox_->wake();
  pump_all(lock);
}

void Pair::pump_all(Lock& lock) {
  for (std::uint32_t i = 0; i < lanes_.size() && !lost_; ++i) pump(i, lock);
}

// One frame is in flight per connection; the next one follows when it is written.
void Pair::pump(std::uint32_t connection, Lock& lock) {
  Lane& lane = lanes_[connection];
  if (lane.writing || lane.stream == nullptr || !connected_) return;
  const std::optional<grpc::ByteBuffer> frame = next_frame(connection);
  if (!frame) return;
  lane.writing = true;
  Stream& stream = *lane.stream;
  lane.called = &stream;
  lock.unlock();  // the write may copy a megabyte to the system
  const bool begun = stream.write(*frame);
  lock.lock();
  lane.called = nullptr;
  if (!begun) lane.writing = false;
}

std::optional<grpc::ByteBuffer> Pair::next_frame(std::uint32_t connection) {
  Lane& lane = lanes_[connection];
  if (lane.said_close) return std::nullopt;
  if (lane.closing) {
    lane.said_close = true;
    FrameHeader close;
    close.kind = FrameKind::kClose;
    return copied(&close, sizeof close);
  }
  if (lost_) return std::nullopt;
  if (connection == credit_connection()) return next_credit();
  if (!lane.outgoing && !take_message(connection)) return std::nullopt;
  return next_piece(lane);
}

std::optional<grpc::ByteBuffer> Pair::next_credit() {
  if (credits_.empty()) return std::nullopt;
  FrameHeader credit;
  credit.kind = FrameKind::kCredit;
  credit.channel = credits_.extract(credits_.begin()).value();
  credit.sequence = incoming_.expected(credit.channel);
  return copied(&credit, sizeof credit);
}

// Takes the next message of the channels that use this connection, in turns.
bool Pair::take_message(std::uint32_t connection) {
  Lane& lane = lanes_[connection];
  const std::uint32_t first = connection % settings_.connections;
  if (connection != sending_connection(first)) return false;
  const std::uint32_t channels =
      (settings_.channels - first + settings_.connections - 1) / settings_.connections;
  for (std::uint32_t i = 0; i < channels; ++i) {
    lane.turn = (lane.turn + 1) % channels;
    const auto transfer = outgoing_.next(first + lane.turn * settings_.connections);
    if (!transfer) continue;
    sent_.add(*transfer);
    lane.outgoing = Outgoing{*transfer};
    return true;
  }
  return false;
}

grpc::ByteBuffer Pair::next_piece(Lane& lane) {
  Outgoing& message = *lane.outgoing;
  const convoy_transfer& transfer = message.transfer;
  FrameHeader header;
  header.channel = transfer.channel;
  header.sequence = transfer.sequence;
  header.tag = transfer.tag;
  header.bytes = transfer.bytes;
  header.offset = message.offset;
  header.length = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(kFrameBytes, transfer.bytes - message.offset));
  auto* memory = static_cast<std::uint8_t*>(transfer.memory) + message.offset;
  if (settings_.checked && header.length > 0)
    message.checksum = checksum(message.checksum, memory, header.length);
  header.checked = settings_.checked;
  header.checksum = message.checksum;
  message.offset += header.length;

  InFlight& flight = in_flight_[{transfer.channel, transfer.sequence}];
  grpc::Slice slices[2] = {grpc::Slice(&header, sizeof header), grpc::Slice()};
  if (header.length > 0) {
    auto piece = std::make_unique<Piece>(
        Piece{mailbox_, {settings_.peer, transfer.channel, transfer.sequence}});
    slices[1] = grpc::Slice(memory, header.length, &release_piece, piece.release());
    ++flight.pieces;
    ++pieces_;
  }
  if (message.offset == transfer.bytes) {
    flight.all = true;
    finish_if_released(transfer.channel, transfer.sequence);
    lane.outgoing.reset();
  }
  return {slices, header.length > 0 ? 2u : 1u};
}

void Pair::finish_if_released(std::uint32_t channel, std::uint64_t sequence) {
  const auto flight = in_flight_.find({channel, sequence});
  if (!flight->second.all || flight->second.pieces > 0) return;
  in_flight_.erase(flight);
  sent_.finish(channel, sequence, [this](const convoy_transfer& transfer) { done(transfer); });
}

void Pair::released(const Released& piece) {
  --pieces_;
  --in_flight_.at({piece.channel, piece.sequence}).pieces;
  if (lost_)
    settle();
  else
    finish_if_released(piece.channel, piece.sequence);
}

void Pair::written(std::uint32_t connection, bool /*ok*/, Lock& lock) {
  Lane& lane = lanes_[connection];
  lane.writing = false;
  if (lane.said_close && lane.stream != nullptr)
    lane.stream->finish(grpc::Status::OK);
  else
    pump(connection, lock);
}

void Pair::read(std::uint32_t connection, const grpc::ByteBuffer& message, Lock& lock) {
  try {
    FrameReader reader(message);
    FrameHeader header;
    if (lost_) return;
    if (reader.left() < sizeof header) refuse_frame("a frame is shorter than its header");
    reader.read(&header, sizeof header);
    switch (header.kind) {
      case FrameKind::kData:
        return take_data(connection, header, reader, lock);
      case FrameKind::kCredit:
        return take_credit(header, lock);
      case FrameKind::kClose:
        return take_close(lanes_[connection]);
    }
    refuse_frame("a frame is of an unknown kind");
  } catch (const RefusedInput& input) {
    refuse(input);
  }
}

void Pair::take_credit(const FrameHeader& header, Lock& lock) {
  outgoing_.grant(header.channel, header.sequence);
  pump_all(
      lock);  // a message that was sent without credit on one channel may have made room for all
}

// On each connection, the close comes after everything that the peer has sent on it.
void Pair::take_close(Lane& lane) {
  lane.heard_close = true;
  const auto heard = [](const Lane& each) { return each.heard_close; };
  if (std::ranges::all_of(lanes_, heard))
    lose(CONVOY_REASON_CLOSED, "it has closed its end of the connection");
}

Pair::Incoming& Pair::incoming_of(std::uint32_t connection, const FrameHeader& header) {
  std::optional<Incoming>& incoming = lanes_[connection].incoming;
  if (header.channel >= settings_.channels || receiving_connection(header.channel) != connection)
    refuse_frame("a message is of a channel that does not go over its connection");
  if (header.length > kFrameBytes || header.offset > header.bytes ||
      header.length > header.bytes - header.offset)
    refuse_frame("a piece does not lie within its message");
  if (header.length == 0 && header.bytes > 0) refuse_frame("a piece of a message is empty");
  if (!incoming) {
    if (header.offset != 0) refuse_frame("a message does not begin with its first byte");
    void* memory = incoming_.begin(header.channel, header.sequence, header.tag, header.bytes);
    incoming = Incoming{header, static_cast<std::uint8_t*>(memory)};
  }
  const FrameHeader& first = incoming->first;
  if (first.channel != header.channel || first.sequence != header.sequence ||
      first.bytes != header.bytes || first.checked != header.checked ||
      incoming->received != header.offset)
    refuse_frame("a piece is not the next one of its message");
  return *incoming;
}

void Pair::take_data(std::uint32_t connection, const FrameHeader& header, FrameReader& reader,
                     Lock& lock) {
  if (reader.left() != header.length) refuse_frame("a frame is not as long as its header says");
  Incoming& incoming = incoming_of(connection, header);
  std::uint8_t* to = incoming.memory + incoming.received;
  std::uint32_t sum = incoming.checksum;
  ++copying_;
  lock.unlock();
  reader.read(to, header.length);
  if (header.checked != 0) sum = checksum(sum, to, header.length);
  lock.lock();
  --copying_;
  if (lost_) {
    settle();
    return;
  }
  if (header.checked != 0 && sum != header.checksum)
    throw RefusedInput(CONVOY_REASON_CORRUPTED,
                       "the checksum of message " + std::to_string(header.sequence) +
                           " of channel " + std::to_string(header.channel) + " does not fit");
  incoming.checksum = sum;
  incoming.received += header.length;
  if (incoming.received < header.bytes) return;
  lanes_[connection].incoming.reset();
  if (const auto complete = incoming_.finish(header.channel)) done(*complete);
}

void Pair::refuse(const RefusedInput& input) {
  if (lost_) return;
  events_.refused(settings_.peer, input);
  lose(input.reason(), input.what());
}

void Pair::ended(std::uint32_t connection, const std::string& reason) {
  Lane& lane = lanes_[connection];
  lane.stream = nullptr;
  lane.writing = false;
  // Other connections may still carry data that were sent before one end closed.
  if (lane.heard_close || lane.said_close) return;
  lose(CONVOY_REASON_DIED, reason.empty() ? "its connection ended" : reason);
}

void Pair::lose(convoy_transport_reason reason, const std::string& text) {
  if (lost_) return;
  if (asked_)
    events_.lost(settings_.peer, reason, text);
  else
    unsaid_.emplace(reason, text);
  give_up();
}

void Pair::cancel() {
  if (!lost_) give_up();
}

// Cancels the streams, because nothing else ends a write that has begun.
void Pair::give_up() {
  lost_ = true;
  for (Lane& lane : lanes_)
    if (lane.stream != nullptr) lane.stream->cancel();
  mailbox_->wake();
  settle();
}

void Pair::settle() {
  if (copying_ == 0)
    for (const convoy_transfer& transfer : incoming_.abandon()) events_.cancelled(transfer);
  if (pieces_ == 0) {
    for (const SentMessages::Message& message : sent_.abandon())
      events_.cancelled(message.transfer);
    for (const convoy_transfer& transfer : outgoing_.abandon()) events_.cancelled(transfer);
    in_flight_.clear();
    for (Lane& lane : lanes_) lane.outgoing.reset();
  }
  mailbox_->wake();
}

void Pair::reset() const {
  for (const Lane& lane : lanes_)
    if (lane.remote_port != 0) reset_connections(lane.local_port, lane.remote_port);
}

bool Pair::say_goodbye(Lock& lock) {
  bool told = true;
  for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    if (lost_ || !connected_ || lane.stream == nullptr) continue;
    lane.closing = true;
    pump(i, lock);
    told &= lane.said_close && !lane.writing;
  }
  return told;
}

}  // namespace convoy::grpc_transport
