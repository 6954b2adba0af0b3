#pragma once

#include <convoy/abi/submission.h>
#include <convoy/abi/transport.h>

#include <cstdint>
#include <deque>

#include "core/plugin/transport_plugin.hpp"

namespace convoy {

// What a lane joins this host to.
struct LaneEnd {
  std::uint32_t peer = 0;
  bool sends = false;
  std::uint32_t channel = 0;
};

// The messages of one channel to, or from, one peer in their order: first those that have started,
// which the transport has, then those that are queued. For the network engine's thread alone.
class NetworkLane {
 public:
  // How many operations may have started and not ended.
  static constexpr std::size_t kMostStarted = 32;

  // Its messages have tokens by which token_lane() finds it again.
  NetworkLane(std::uint64_t index, const LaneEnd& end, OpenTransport& transport,
              std::uint64_t largest_message)
      : index_(index), end_(end), transport_(transport), largest_message_(largest_message) {}

  std::uint32_t peer() const { return end_.peer; }
  bool sends() const { return end_.sends; }
  bool is_empty() const { return queue_.empty(); }
  // Whether something is queued that has not started.
  bool has_unstarted() const { return queue_.size() > started_; }
  // Whether it could start if its waits held.
  bool looks_for_timelines() const { return has_unstarted() && started_ < kMostStarted; }
  // The oldest operation; there is one.
  const convoy_submission& front() const { return *queue_.front().submission; }

  void queue(const convoy_submission& submission, const convoy_message_tag& tag) {
    queue_.push_back({&submission, tag});
  }
  // The next operation to start if its waits hold and there is room for it; null otherwise.
  const convoy_submission* ready() const;
  // Gives it to the transport at that time: as several messages where it is larger than one may be.
  // Error when the transport does not take it.
  void start(double now);
  // Which lane a message's token is of.
  static std::uint64_t token_lane(std::uint64_t token) { return token >> kSequenceBits; }
  // The oldest message has ended at that time. Returns the bytes of its operation when that was its
  // last one, whose timeline then has advanced; 0 otherwise. Error kFailed when it is another one.
  std::uint64_t end_message(std::uint64_t token, double now);
  // Advances the timelines of all that has not started, unless something that has comes before.
  bool drop_unstarted(double now);

 private:
  static constexpr std::uint64_t kSequenceBits = 48;

  struct Queued {
    const convoy_submission* submission;
    convoy_message_tag tag;
    std::uint64_t messages = 0;  // with the transport
  };

  const convoy_region& region(const convoy_submission& submission) const {
    return *(end_.sends ? submission.reads : submission.writes);
  }
  void hand_over(const convoy_transfer& transfer);
  void finish_front(double now);

  std::uint64_t index_;
  LaneEnd end_;
  OpenTransport& transport_;
  std::uint64_t largest_message_;  // bytes
  std::deque<Queued> queue_;
  std::size_t started_ = 0;     // of those, from the front on
  std::uint64_t sequence_ = 0;  // of the next message
  std::uint64_t ended_ = 0;     // messages
};

}  // namespace convoy
