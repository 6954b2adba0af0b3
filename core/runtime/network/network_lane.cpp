#include "core/runtime/network/network_lane.hpp"

#include <convoy/sized.hpp>

#include <algorithm>
#include <cstddef>

#include "core/base/error.hpp"
#include "core/plan/operation.hpp"
#include "core/runtime/network/message_pieces.hpp"
#include "core/runtime/timeline.hpp"

namespace convoy::runtime {
namespace {

std::uint64_t region_bytes(const convoy_region& region) {
  return region.count * plan::dtype_bytes(region.dtype);
}

}  // namespace

const convoy_submission* NetworkLane::ready() const {
  return looks_for_timelines() && awaited() == nullptr ? queue_[started_].submission : nullptr;
}

const convoy_wait* NetworkLane::awaited() const {
  if (!looks_for_timelines()) return nullptr;
  const convoy_submission& next = *queue_[started_].submission;
  const convoy_wait* const end = next.waits + next.wait_count;
  const convoy_wait* const unmet = std::find_if_not(next.waits, end, plugin::holds);
  return unmet == end ? nullptr : unmet;
}

void NetworkLane::start(double now) {
  Queued& it = queue_[started_++];
  if (it.submission->timing != nullptr) it.submission->timing->start = now;
  const convoy_region& whole = region(*it.submission);
  CONVOY_CHECK_LT(std::uint64_t{0}, whole.count);
  it.first_message = messages_;
  const std::uint64_t all = region_bytes(whole);
  const std::uint64_t piece = piece_bytes(all, end_.streams, largest_message_);
  auto transfer = make_sized<convoy_transfer>();
  transfer.peer = end_.peer;
  transfer.tag = it.tag;
  for (std::uint64_t done = 0; done < all; done += transfer.bytes) {
    const auto number = static_cast<std::uint32_t>(it.messages % end_.streams);
    Stream& stream = streams_[number];
    transfer.channel = end_.first_channel + number;
    transfer.memory = static_cast<std::byte*>(whole.data) + done;
    transfer.bytes = std::min(all - done, piece);
    transfer.sequence = stream.sequence;
    transfer.token = index_ << kSequenceBits | messages_;
    hand_over(transfer);
    ++stream.sequence;
    stream.pending.push_back(messages_++);
    ++it.messages;
  }
}

// A message counts as handed over only if the transport accepts it.
void NetworkLane::hand_over(const convoy_transfer& transfer) {
  try {
    if (end_.sends)
      transport_.send(transfer);
    else
      transport_.expect(transfer);
  } catch (const Error&) {
    if (queue_[started_ - 1].messages == 0) --started_;
    throw;
  }
}

void NetworkLane::take_out(std::uint64_t message) {
  for (Stream& stream : streams_)
    if (!stream.pending.empty() && stream.pending.front() == message)
      return stream.pending.pop_front();
  fail(ExitCode::kFailed,
       "the transport says that message {} {} host {} has ended, which is not the oldest one of a "
       "channel; convoy check shows what is wrong with a transport",
       message, end_.sends ? "to" : "from", end_.peer);
}

NetworkLane::Queued& NetworkLane::operation_of(std::uint64_t message) {
  std::size_t at = started_ - 1;
  while (queue_[at].first_message > message) --at;
  return queue_[at];
}

std::uint64_t NetworkLane::end_message(std::uint64_t token, double now) {
  const std::uint64_t message = token & ((std::uint64_t{1} << kSequenceBits) - 1);
  take_out(message);
  --operation_of(message).messages;
  std::uint64_t bytes = 0;
  while (started_ > 0 && queue_.front().messages == 0) {
    bytes += region_bytes(region(front()));
    --started_;
    finish_front(now);
  }
  return bytes;
}

bool NetworkLane::drop_unstarted(double now) {
  if (started_ > 0 || queue_.empty()) return false;
  while (!queue_.empty()) {
    if (front().timing != nullptr) front().timing->start = now;
    finish_front(now);
  }
  return true;
}

// Does not touch the submission once its timeline shows that it is done.
void NetworkLane::finish_front(double now) {
  const convoy_submission& submission = front();
  std::uint64_t* const timeline = submission.timeline;
  const std::uint64_t value = submission.value;
  if (submission.timing != nullptr) submission.timing->end = now;
  queue_.pop_front();
  plugin::advance(timeline, value);
  if (waking_ != nullptr) waking_->advanced(timeline, value);
}

}  // namespace convoy::runtime
