#include "plugins/transports/mpi/pair.hpp"

#include <algorithm>
#include <cstring>

#include "plugins/transports/mpi/launch.hpp"

namespace convoy::mpi {

namespace {

// A request that is done is MPI_REQUEST_NULL afterwards.
bool is_done(MPI_Request& request, MPI_Status* status) {
  int done = 0;
  require(MPI_Test(&request, &done, status), "MPI_Test");
  return done != 0;
}

}  // namespace

Pair::Pair(std::uint32_t peer, int to, const convoy_transport_run& run, OutgoingParcels& parcels,
           TransportEvents& events)
    : peer_(peer),
      to_(to),
      generation_(run.generation),
      parcels_(parcels),
      parcel_(to, parcels),
      events_(events),
      sends_(run.channels),
      sent_(run.channels),
      receives_(run.generation, run.channels),
      channels_(run.channels) {}

void Pair::send(const convoy_transfer& transfer) {
  if (lost_) return events_.cancelled(transfer);
  sends_.add(transfer);
  sent_.add(transfer);
}

void Pair::expect(const convoy_transfer& transfer) {
  if (lost_) return events_.cancelled(transfer);
  try {
    if (const auto complete = receives_.expect(transfer)) events_.done(*complete);
    if (transfer.bytes > kPayload) expected_.push_back(transfer);
  } catch (const RefusedInput& input) {
    events_.refused(peer_, input);
    lose(input.reason(), input.what());
  }
}

bool Pair::progress() {
  if (!established_) return false;
  bool moved = false;
  try {
    for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) {
      moved |= finish_going(channel);
      moved |= finish_coming(channel);
    }
  } catch (const RefusedInput& input) {
    events_.refused(peer_, input);
    lose(input.reason(), input.what());
  }
  if (!lost_) return write() || moved;
  if (!busy()) end_all();
  return moved;
}

void Pair::take(const Frame& frame, const std::byte* payload) {
  if (lost_) return;
  switch (frame.kind) {
    case kMessage:
    case kOffer:
      if (frame.channel >= channels_.size())
        throw RefusedInput(CONVOY_REASON_MALFORMED,
                           "a message is of a channel that does not exist");
      if (channels_[frame.channel].stalled.empty() && !must_stall(frame))
        return begin(frame, payload);
      return channels_[frame.channel].stalled.push_back(
          {frame, {payload, payload + frame.payload}});
    case kReady:
      return take_ready(frame);
    case kCredit:
      return sends_.grant(frame.channel, frame.sequence);
    case kGoodbye:
      // MPI has received earlier messages by now.
      for (std::uint32_t channel = 0; channel < channels_.size(); ++channel) finish_coming(channel);
      return lose(CONVOY_REASON_CLOSED, "it has closed its transport");
    default:
      throw RefusedInput(CONVOY_REASON_MALFORMED, "a frame is of no known kind");
  }
}

Frame Pair::frame_of(FrameKind kind, std::uint32_t channel, std::uint64_t sequence) const {
  Frame frame;
  frame.kind = kind;
  frame.channel = channel;
  frame.sequence = sequence;
  frame.generation = generation_;
  return frame;
}

bool Pair::write() {
  bool moved = false;
  const auto add = [&](const Frame& frame) {
    parcel_.add(frame, nullptr);
    moved = true;
  };
  for (; !expected_.empty(); expected_.pop_front()) receive_ahead(expected_.front());
  for (; parcels_.has_room() && !ready_due_.empty(); ready_due_.pop_front())
    add(ready_due_.front());
  while (parcels_.has_room()) {
    const auto credit = receives_.next_credit();
    if (!credit) break;
    add(frame_of(kCredit, credit->channel, credit->expected));
  }
  while (parcels_.has_room()) {
    const auto transfer = sends_.next();
    if (!transfer) break;
    write_message(*transfer);
    moved = true;
  }
  parcel_.send();
  return moved;
}

void Pair::write_message(const convoy_transfer& transfer) {
  Frame frame = frame_of(kMessage, transfer.channel, transfer.sequence);
  frame.tag = transfer.tag;
  frame.bytes = transfer.bytes;
  if (transfer.bytes <= kPayload) {
    frame.payload = static_cast<std::uint32_t>(transfer.bytes);
    parcel_.add(frame, transfer.memory);
    return finish_send(transfer.channel, transfer.sequence);
  }
  frame.kind = kOffer;
  parcel_.add(frame, nullptr);
  Channel& channel = channels_[transfer.channel];
  std::deque<Ready>& ready = channel.peer_ready;
  while (!ready.empty() && ready.front().sequence < transfer.sequence) ready.pop_front();
  const bool is_ready = !ready.empty() && ready.front().sequence == transfer.sequence;
  // A peer that expects another size refuses the offer, and gets no bytes.
  if (is_ready && ready.front().bytes == transfer.bytes) return send_bytes(transfer);
  channel.offered.push_back(transfer);
}

void Pair::take_ready(const Frame& frame) {
  if (frame.channel >= channels_.size() ||
      frame.sequence < channels_[frame.channel].peer_ready_below)
    throw RefusedInput(CONVOY_REASON_MALFORMED,
                       "the peer is ready for a message twice, or on a "
                       "channel that does not exist");
  Channel& channel = channels_[frame.channel];
  channel.peer_ready_below = frame.sequence + 1;
  if (channel.offered.empty() || channel.offered.front().sequence != frame.sequence)
    return channel.peer_ready.push_back({frame.sequence, frame.bytes});
  if (channel.offered.front().bytes != frame.bytes) return;
  send_bytes(channel.offered.front());
  channel.offered.pop_front();
}

void Pair::send_bytes(const convoy_transfer& transfer) {
  Moving moving{MPI_REQUEST_NULL, transfer.sequence, transfer.bytes, true};
  require(MPI_Isend(transfer.memory, static_cast<int>(transfer.bytes), MPI_BYTE, to_,
                    kDataTag + static_cast<int>(transfer.channel), MPI_COMM_WORLD, &moving.request),
          "MPI_Isend");
  channels_[transfer.channel].going.push_back(moving);
}

// Receives, unless the offer has arrived meanwhile.
void Pair::receive_ahead(const convoy_transfer& transfer) {
  if (transfer.sequence < channels_[transfer.channel].begun) return;
  receive(transfer.channel, transfer.memory,
          {MPI_REQUEST_NULL, transfer.sequence, transfer.bytes, false});
}

void Pair::receive(std::uint32_t channel, void* memory, const Moving& message) {
  std::deque<Moving>& coming = channels_[channel].coming;
  coming.push_back(message);
  require(MPI_Irecv(memory, static_cast<int>(message.bytes), MPI_BYTE, to_,
                    kDataTag + static_cast<int>(channel), MPI_COMM_WORLD, &coming.back().request),
          "MPI_Irecv");
  Frame ready = frame_of(kReady, channel, message.sequence);
  ready.bytes = message.bytes;
  ready_due_.push_back(ready);
}

void Pair::begin(const Frame& frame, const std::byte* payload) {
  void* const memory = receives_.begin(frame.channel, frame.sequence, frame.tag, frame.bytes);
  channels_[frame.channel].begun = frame.sequence + 1;
  if (frame.kind == kOffer) return begin_large(frame, memory);
  if (frame.payload != frame.bytes)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "a message has not the bytes that it says");
  if (frame.payload > 0) std::memcpy(memory, payload, frame.payload);
  if (const auto transfer = receives_.finish(frame.channel)) events_.done(*transfer);
}

void Pair::begin_large(const Frame& offer, void* memory) {
  std::deque<Moving>& coming = channels_[offer.channel].coming;
  const auto ahead = std::ranges::find(coming, offer.sequence, &Moving::sequence);
  if (ahead != coming.end())
    ahead->offered = true;
  else
    receive(offer.channel, memory, {MPI_REQUEST_NULL, offer.sequence, offer.bytes, true});
}

bool Pair::finish_going(std::uint32_t channel) {
  std::deque<Moving>& going = channels_[channel].going;
  bool moved = false;
  for (; !going.empty() && is_done(going.front().request, MPI_STATUS_IGNORE); moved = true) {
    const std::uint64_t sequence = going.front().sequence;
    going.pop_front();
    finish_send(channel, sequence);
  }
  return moved;
}

bool Pair::finish_coming(std::uint32_t channel) {
  std::deque<Moving>& coming = channels_[channel].coming;
  bool moved = false;
  for (MPI_Status status{}; !coming.empty() && (coming.front().offered || lost_) &&
                            is_done(coming.front().request, &status);) {
    const std::uint64_t expected = coming.front().bytes;
    coming.pop_front();
    moved = true;
    if (lost_) continue;
    int bytes = 0;
    require(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (static_cast<std::uint64_t>(bytes) != expected)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "a message has not the bytes that it says");
    if (const auto transfer = receives_.finish(channel)) events_.done(*transfer);
    begin_stalled(channel);
  }
  return moved;
}

// Messages of a channel begin and finish in order, and small messages do both at once.
bool Pair::must_stall(const Frame& frame) const {
  const std::deque<Moving>& coming = channels_[frame.channel].coming;
  const bool is_behind = !coming.empty() && coming.front().offered;
  return !receives_.may_begin(frame.channel) || (frame.kind == kMessage && is_behind);
}

void Pair::begin_stalled(std::uint32_t channel) {
  std::deque<Stalled>& stalled = channels_[channel].stalled;
  while (!stalled.empty() && !must_stall(stalled.front().frame)) {
    const Stalled next = std::move(stalled.front());
    stalled.pop_front();
    begin(next.frame, next.payload.data());
  }
}

void Pair::finish_send(std::uint32_t channel, std::uint64_t sequence) {
  sent_.finish(channel, sequence, [&](const convoy_transfer& it) { events_.done(it); });
}

bool Pair::busy() const {
  return std::ranges::any_of(
      channels_, [](const Channel& it) { return !it.going.empty() || !it.coming.empty(); });
}

void Pair::cancel() {
  lost_ = true;
  for (Channel& channel : channels_) {
    for (Moving& it : channel.coming) MPI_Cancel(&it.request);
    channel.stalled.clear();
    channel.offered.clear();
  }
  expected_.clear();
  static_cast<void>(sends_.abandon());
  if (!busy()) end_all();
}

void Pair::lose(convoy_transport_reason reason, const std::string& text) {
  if (lost_) return;
  events_.lost(peer_, reason, text);
  if (established_ && reason != CONVOY_REASON_CLOSED) {
    parcel_.add(frame_of(kGoodbye, 0, 0), nullptr);
    parcel_.send();
  }
  cancel();
}

void Pair::end_all() {
  for (const SentMessages::Message& it : sent_.abandon())
    it.finished ? events_.done(it.transfer) : events_.cancelled(it.transfer);
  for (const convoy_transfer& it : receives_.abandon()) events_.cancelled(it);
}

}  // namespace convoy::mpi
