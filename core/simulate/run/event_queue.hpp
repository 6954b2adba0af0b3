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
  std::uint64_t number;  // events are numbered in the order in which they are told
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
    put(bucket(event.at), event);
  }
  // Advances to the earliest event and returns its time. No earlier event may be pushed from then
  // on. renew(event) is called for events on the way: it may give an event a later time and another
  // number, or return false to drop it. If no event is left, the time stays.
  template <typename Renew>
  Ticks advance(const Renew& renew) {
    while (!has_more_now() && !empty()) settle(renew);
    return now_;
  }
  bool has_more_now() const { return taken_ < buckets_[kPresent].size(); }
  // Takes an event of the present time; there must be one.
  Event pop() {
    --size_;
    return buckets_[kPresent][taken_++];
  }

 private:
  // Times are numbers of digits of this many bits. More bits move events less often, but need more
  // buckets.
  static constexpr std::uint32_t kDigitBits = 4;
  static constexpr std::uint32_t kDigits = 64 / kDigitBits;
  static constexpr std::uint32_t kValues = 1u << kDigitBits;
  static constexpr std::uint32_t kPresent = 0;
  static constexpr std::uint32_t kBuckets = kDigits * kValues;

  // The bucket of a time is given by the highest digit in which it differs from the present, and
  // by the value of this digit, which is above 0. So the buckets are in the order of time. Events
  // of one time are in one bucket, and keep their order when the bucket is spread over the lower
  // ones.
  std::uint32_t bucket(Ticks at) const {
    const auto different = static_cast<std::uint64_t>(at ^ now_);
    if (different == 0) return kPresent;
    const auto digit = static_cast<std::uint32_t>(std::bit_width(different) - 1) / kDigitBits;
    const auto value = static_cast<std::uint32_t>(at >> (digit * kDigitBits)) % kValues;
    return digit * kValues + value;
  }

  void put(std::uint32_t bucket, const Event& event) {
    buckets_[bucket].push_back(event);
    filled_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
  }

  // The first bucket with events after the present ones; there must be one.
  std::uint32_t first_later() const {
    std::uint64_t filled = filled_[0] & ~std::uint64_t{1};
    std::uint32_t word = 0;
    while (filled == 0) filled = filled_[++word];
    return 64 * word + static_cast<std::uint32_t>(std::countr_zero(filled));
  }

  template <typename Renew>
  void settle(const Renew& renew) {
    buckets_[kPresent].clear();
    taken_ = 0;
    const std::uint32_t first = first_later();
    met_.swap(buckets_[first]);
    filled_[first / 64] &= ~(std::uint64_t{1} << first % 64);
    for (Event& event : met_) {
      if (!renew(event))
        --size_;
      else if (const std::uint32_t its_bucket = bucket(event.at); its_bucket == first)
        spread_.push_back(event);
      else
        put(its_bucket, event);
    }
    met_.clear();
    if (!spread_.empty()) spread();
  }

  void spread() {
    now_ = spread_.front().at;
    for (const Event& event : spread_) now_ = event.at < now_ ? event.at : now_;
    for (const Event& event : spread_) put(bucket(event.at), event);
    spread_.clear();
    std::vector<Event>& present = buckets_[kPresent];
    if (!std::ranges::is_sorted(present, {}, &Event::number))
      std::ranges::sort(present, {}, &Event::number);
  }

  std::array<std::vector<Event>, kBuckets> buckets_;  // the first has the events of the present
  std::array<std::uint64_t, kBuckets / 64>
      filled_{};               // a bit per bucket; the first bit is not kept
  std::vector<Event> met_;     // the events of a bucket, while they are renewed
  std::vector<Event> spread_;  // the events of met_ that move to lower buckets
  std::size_t taken_ = 0;      // events taken from the first bucket
  std::size_t size_ = 0;
  Ticks now_ = 0;
};

}  // namespace convoy::simulate
