#pragma once

#include <convoy/abi/submission.h>
#include <convoy/abi/transport.h>
#include <convoy/abi/waking.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "core/plugin/transport_plugin.hpp"

namespace convoy::runtime {

// The peer and the channels of a lane.
struct LaneEnd {
  std::uint32_t peer = 0;
  bool sends = false;
  std::uint32_t first_channel = 0;  // of the transport's channels
  std::uint32_t streams = 1;        // channels from there on that carry pieces of large messages
};

// The messages of one channel to or from one peer, in order: first the started ones, which the
// transport has, then the queued ones. For the network engine's thread only.
class NetworkLane {
 public:
  // How many operations may have started and not ended.
  static constexpr std::size_t kMostStarted = 32;

  // token_lane() finds the lane from the tokens of its messages. `waking`, unless null, is notified
  // of timelines that advance.
  NetworkLane(std::uint64_t index, const LaneEnd& end, plugin::OpenTransport& transport,
              std::uint64_t largest_message, const convoy_device_waking* waking = nullptr)
      : index_(index),
        end_(end),
        transport_(transport),
        largest_message_(largest_message),
        waking_(waking),
        streams_(end.streams) {}

  std::uint32_t peer() const { return end_.peer; }
  bool sends() const { return end_.sends; }
  bool is_empty() const { return queue_.empty(); }
  // Whether there is a queued operation that has not started.
  bool has_unstarted() const { return queue_.size() > started_; }
  // Whether the next operation could start if its waits held.
  bool looks_for_timelines() const { return has_unstarted() && started_ < kMostStarted; }
  // The oldest operation. Requires that there is one.
  const convoy_submission& front() const { return *queue_.front().submission; }

  void queue(const convoy_submission& submission, const convoy_message_tag& tag) {
    queue_.push_back({&submission, tag});
  }
  // The next operation to start if its waits hold and there is room for it; null otherwise.
  const convoy_submission* ready() const;
  // The first point that the next operation still waits for; null if there is none, or if there is
  // no room for it.
  const convoy_wait* awaited() const;
  // Gives the next operation to the transport at that time; a large one in pieces
  // (message_pieces.hpp). Error when the transport refuses it.
  void start(double now);
  // The lane of a message's token.
  static std::uint64_t token_lane(std::uint64_t token) { return token >> kSequenceBits; }
  // The oldest message of a stream has ended at that time. Returns the bytes of the operations that
  // are done by this and advances their timelines, in order; one message may complete several
  // operations. Error kFailed when it is another message.
  std::uint64_t end_message(std::uint64_t token, double now);
  // Advances the timelines of all operations that have not started, unless a started one is before
  // them.
  bool drop_unstarted(double now);

 private:
  static constexpr std::uint64_t kSequenceBits = 48;

  struct Queued {
    const convoy_submission* submission;
    convoy_message_tag tag;
    std::uint64_t first_message = 0;
    std::uint64_t messages = 0;  // messages that the transport has
  };
  struct Stream {
    std::uint64_t sequence = 0;         // the number of the next message
    std::deque<std::uint64_t> pending;  // the numbers of the messages that the transport has
  };

  const convoy_region& region(const convoy_submission& submission) const {
    return *(end_.sends ? submission.reads : submission.writes);
  }
  void hand_over(const convoy_transfer& transfer);
  void take_out(std::uint64_t message);
  Queued& operation_of(std::uint64_t message);
  void finish_front(double now);

  std::uint64_t index_;
  LaneEnd end_;
  plugin::OpenTransport& transport_;
  std::uint64_t largest_message_;  // bytes
  const convoy_device_waking* waking_;
  std::deque<Queued> queue_;
  std::size_t started_ = 0;      // operations at the front of the queue that have started
  std::uint64_t messages_ = 0;   // messages that were given to the transport
  std::vector<Stream> streams_;  // by channel
};

}  // namespace convoy::runtime
