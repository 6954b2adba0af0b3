#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simulate/run/ticks.hpp"

namespace convoy::simulate {

enum class EventKind : std::uint8_t { kComputeEnd, kBegin, kFlowEnd };

// Small: those that are queued are moved several times.
struct Event {
  static constexpr std::uint32_t kIndices = 1u << 30;  // below which an index is

  Event(Ticks when, std::uint32_t of, std::uint32_t its_version, EventKind what)
      : at(when), version(its_version), index(of & (kIndices - 1)), kind(what) {}

  Ticks at;
  std::uint32_t version;
  std::uint32_t index : 30;  // place, instance or flow
  EventKind kind : 2;
};
static_assert(sizeof(Event) == 16);

// Events by time; those of one time in the order in which they were pushed. A radix heap: nothing
// may be pushed that is earlier than what was taken last, and in return pushing is appending.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  void push(const Event& event) {
    ++size_;
    buckets_[bucket(event.at)].push_back(event);
  }
  // Goes on to the earliest event: its time. Nothing earlier may be pushed from here on. Events of
  // which is_over(event) says so, which it must say from then on, are dropped as they are met: when
  // none is left, the time stays.
  template <typename IsOver>
  Ticks advance(const IsOver& is_over) {
    while (!has_more_now() && !empty()) settle(is_over);
    return now_;
  }
  bool has_more_now() const { return taken_ < buckets_[0].size(); }
  // One of now; there must be one.
  Event pop() {
    --size_;
    return buckets_[0][taken_++];
  }

 private:
  // The highest bit in which the time differs from now: events of one time are in one bucket, and
  // stay in their order when it is spread over the lower ones.
  std::size_t bucket(Ticks at) const {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(at ^ now_)));
  }

  template <typename IsOver>
  void settle(const IsOver& is_over) {
    buckets_[0].clear();
    taken_ = 0;
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    spread_.swap(buckets_[first]);
    size_ -= std::erase_if(spread_, is_over);
    if (spread_.empty()) return;
    now_ = spread_.front().at;
    for (const Event& event : spread_) now_ = event.at < now_ ? event.at : now_;
    for (const Event& event : spread_) buckets_[bucket(event.at)].push_back(event);
    spread_.clear();
  }

  std::array<std::vector<Event>, 65> buckets_;  // the first: events of now
  std::vector<Event> spread_;
  std::size_t taken_ = 0;  // of the first bucket
  std::size_t size_ = 0;
  Ticks now_ = 0;
};

}  // namespace convoy::simulate
