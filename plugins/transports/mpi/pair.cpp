#include "plugins/transports/mpi/pair.hpp"

#include <algorithm>
#include <cstring>

#include "plugins/transports/mpi/launch.hpp"

namespace convoy::mpi {

Pair::Pair(std::uint32_t peer, int to, const convoy_transport_run& run, OutgoingFrames& frames,
           TransportEvents& events)
    : peer_(peer),
      to_(to),
      generation_(run.generation),
      frames_(frames),
      events_(events),
      sends_(run.channels),
      sent_(run.channels),
      receives_(run.generation, run.channels),
      credit_due_(run.channels) {}

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

bool Pair::progress() {
  if (!established_) return false;
  bool moved = finish_going();
  try {
    moved |= finish_coming();
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
    case kOffer: {
      const bool waits = std::ranges::any_of(
          coming_, [&](const Moving& it) { return it.channel == frame.channel; });
      if (!waits) return begin(frame, payload);
      stalled_[frame.channel].push_back({frame, {payload, payload + frame.payload}});
      return;
    }
    case kReady:
      return send_bytes(frame);
    case kCredit:
      return sends_.grant(frame.channel, frame.sequence);
    case kGoodbye:
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
  const auto send = [&](const Frame& frame) {
    frames_.send(to_, frame, nullptr);
    moved = true;
  };
  for (; frames_.has_room() && !ready_due_.empty(); ready_due_.pop_front())
    send(frame_of(kReady, ready_due_.front().first, ready_due_.front().second));
  for (std::uint32_t channel = 0; channel < credit_due_.size(); ++channel) {
    if (!credit_due_[channel] || !frames_.has_room()) continue;
    send(frame_of(kCredit, channel, receives_.expected(channel)));
    credit_due_[channel] = false;
  }
  while (frames_.has_room()) {
    const auto transfer = sends_.next();
    if (!transfer) break;
    write_message(*transfer);
    moved = true;
  }
  return moved;
}

void Pair::write_message(const convoy_transfer& transfer) {
  Frame frame = frame_of(kMessage, transfer.channel, transfer.sequence);
  frame.tag = transfer.tag;
  frame.bytes = transfer.bytes;
  if (transfer.bytes <= kPayload) {
    frame.payload = static_cast<std::uint32_t>(transfer.bytes);
    frames_.send(to_, frame, transfer.memory);
    return finish_send(transfer.channel, transfer.sequence);
  }
  frame.kind = kOffer;
  frames_.send(to_, frame, nullptr);
  offered_.emplace(std::pair(transfer.channel, transfer.sequence), transfer);
}

void Pair::send_bytes(const Frame& ready) {
  const auto found = offered_.find({ready.channel, ready.sequence});
  if (found == offered_.end())
    throw RefusedInput(CONVOY_REASON_MALFORMED, "the peer is ready for what it was not offered");
  const convoy_transfer& it = found->second;
  Moving moving{MPI_REQUEST_NULL, it.channel, it.sequence, it.bytes};
  require(MPI_Isend(it.memory, static_cast<int>(it.bytes), MPI_BYTE, to_,
                    kDataTag + static_cast<int>(it.channel), MPI_COMM_WORLD, &moving.request),
          "MPI_Isend");
  going_.push_back(moving);
  offered_.erase(found);
}

void Pair::begin(const Frame& frame, const std::byte* payload) {
  void* const memory = receives_.begin(frame.channel, frame.sequence, frame.tag, frame.bytes);
  if (frame.kind == kMessage) {
    if (frame.payload != frame.bytes)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "a message has not the bytes that it says");
    if (frame.payload > 0) std::memcpy(memory, payload, frame.payload);
    if (const auto transfer = receives_.finish(frame.channel)) events_.done(*transfer);
    return;
  }
  Moving moving{MPI_REQUEST_NULL, frame.channel, frame.sequence, frame.bytes};
  require(MPI_Irecv(memory, static_cast<int>(frame.bytes), MPI_BYTE, to_,
                    kDataTag + static_cast<int>(frame.channel), MPI_COMM_WORLD, &moving.request),
          "MPI_Irecv");
  coming_.push_back(moving);
  ready_due_.emplace_back(frame.channel, frame.sequence);
}

bool Pair::finish_going() {
  bool moved = false;
  for (std::size_t i = 0; i < going_.size();) {
    int done = 0;
    require(MPI_Test(&going_[i].request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) {
      ++i;
      continue;
    }
    const Moving it = going_[i];
    going_.erase(going_.begin() + static_cast<std::ptrdiff_t>(i));
    finish_send(it.channel, it.sequence);
    moved = true;
  }
  return moved;
}

bool Pair::finish_coming() {
  bool moved = false;
  for (std::size_t i = 0; i < coming_.size();) {
    int done = 0;
    MPI_Status status{};
    require(MPI_Test(&coming_[i].request, &done, &status), "MPI_Test");
    if (done == 0) {
      ++i;
      continue;
    }
    const Moving it = coming_[i];
    coming_.erase(coming_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
    if (lost_) continue;
    int bytes = 0;
    require(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    if (static_cast<std::uint64_t>(bytes) != it.bytes)
      throw RefusedInput(CONVOY_REASON_MALFORMED, "a message has not the bytes that it says");
    if (const auto transfer = receives_.finish(it.channel)) events_.done(*transfer);
    std::deque<Stalled>& behind = stalled_[it.channel];
    for (bool large = false; !behind.empty() && !large;) {
      const Stalled next = std::move(behind.front());
      behind.pop_front();
      large = next.frame.kind == kOffer;
      begin(next.frame, next.payload.data());
    }
  }
  return moved;
}

void Pair::finish_send(std::uint32_t channel, std::uint64_t sequence) {
  sent_.finish(channel, sequence, [&](const convoy_transfer& it) { events_.done(it); });
}

void Pair::cancel() {
  lost_ = true;
  for (Moving& it : coming_) MPI_Cancel(&it.request);
  offered_.clear();
  stalled_.clear();
  static_cast<void>(sends_.abandon());
  if (!busy()) end_all();
}

void Pair::lose(convoy_transport_reason reason, const std::string& text) {
  if (lost_) return;
  events_.lost(peer_, reason, text);
  if (established_ && reason != CONVOY_REASON_CLOSED)
    frames_.send(to_, frame_of(kGoodbye, 0, 0), nullptr);
  cancel();
}

void Pair::end_all() {
  for (const SentMessages::Message& it : sent_.abandon())
    it.finished ? events_.done(it.transfer) : events_.cancelled(it.transfer);
  for (const convoy_transfer& it : receives_.abandon()) events_.cancelled(it);
}

}  // namespace convoy::mpi
