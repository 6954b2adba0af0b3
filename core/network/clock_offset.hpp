#pragma once

#include <cstdint>
#include <deque>

namespace convoy::network {

// Estimates how far another task's clock is ahead of this task's clock. Of the last questions and
// answers, it uses the one with the shortest round trip. Times are in nanoseconds.
class ClockOffset {
 public:
  // `sent` and `arrived` are times of this task's clock, `received` and `replied` of the other
  // clock.
  void add(std::int64_t sent, std::int64_t received, std::int64_t replied, std::int64_t arrived);
  bool known() const { return !samples_.empty(); }
  // The other clock minus this one. It is right within error(), however the round trip divides into
  // the way there and the way back.
  std::int64_t offset() const;
  std::int64_t error() const;

 private:
  struct Sample {
    std::int64_t offset;
    std::int64_t round_trip;
  };
  const Sample& best() const;
  std::deque<Sample> samples_;
};

}  // namespace convoy::network
