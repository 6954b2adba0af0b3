#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/simulate/run/ticks.hpp"

namespace convoy::simulate {

enum class EventKind : std::uint8_t { kComputeEnd, kBegin, kFlowEnd };

// Events are small because the queue moves each of them several times.
struct Event {
  static constexpr std::uint32_t kIndices = 1u << 30;  // indices are lower than this

  Event(Ticks when, std::uint64_t its_number, std::uint32_t of, std::uint32_t its_version,
        EventKind what)
      : at(when),
        number(its_number),
        version(its_version),
        index(of & (kIndices - 1)),
        kind(what) {}

  Ticks at;
  std::uint64_t number;  // events are numbered as they are told
  std::uint32_t version;
  std::uint32_t index : 30;  // place, instance or flow
  EventKind kind : 2;
};
static_assert(sizeof(Event) == 24);

// A queue of events by time; events of one time come by their numbers. It is a radix heap: a pushed
// event must not be earlier than the last one taken, and numbers must ascend. In return, pushing
// only appends.
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  void push(const Event& event) {
    ++size_;
    buckets_[bucket(event.at)].push_back(event);
  }
  // Advances to the earliest event and returns its time. No earlier event may be pushed from then
  // on. renew(event) is called for events on the way: it may give an event a later time and another
  // number, or return false to drop it. If no event is left, the time stays.
  template <typename Renew>
  Ticks advance(const Renew& renew) {
    while (!has_more_now() && !empty()) settle(renew);
    return now_;
  }
  bool has_more_now() const { return taken_ < buckets_[0].size(); }
  // Takes an event of the present time; there must be one.
  Event pop() {
    --size_;
    return buckets_[0][taken_++];
  }

 private:
  // The bucket of a time is the highest bit in which it differs from the present. Events of one
  // time are in one bucket, and keep their order when the bucket is spread over the lower ones.
  std::size_t bucket(Ticks at) const {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(at ^ now_)));
  }

  template <typename Renew>
  void settle(const Renew& renew) {
    buckets_[0].clear();
    taken_ = 0;
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    met_.swap(buckets_[first]);
    for (Event& event : met_) {
      if (!renew(event))
        --size_;
      else if (const std::size_t its_bucket = bucket(event.at); its_bucket == first)
        spread_.push_back(event);
      else
        buckets_[its_bucket].push_back(event);
    }
    met_.clear();
    if (!spread_.empty()) spread();
  }

  void spread() {
    now_ = spread_.front().at;
    for (const Event& event : spread_) now_ = event.at < now_ ? event.at : now_;
    for (const Event& event : spread_) buckets_[bucket(event.at)].push_back(event);
    spread_.clear();
    if (!std::ranges::is_sorted(buckets_[0], {}, &Event::number))
      std::ranges::sort(buckets_[0], {}, &Event::number);
  }

  std::array<std::vector<Event>, 65> buckets_;  // the first has the events of the present time
  std::vector<Event> met_;                      // the events of a bucket, while they are renewed
  std::vector<Event> spread_;                   // those of them that lower buckets get
  std::size_t taken_ = 0;                       // events taken from the first bucket
  std::size_t size_ = 0;
  Ticks now_ = 0;
};

}  // namespace convoy::simulate
