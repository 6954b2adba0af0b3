#pragma once

#include <cstdint>
#include <deque>

namespace convoy::network {

// How far another task's clock is ahead of this one's, from questions and answers: the shortest
// round trip of the last ones says it best. Times are nanoseconds.
class ClockOffset {
 public:
  // Sent and arrived are by this task's clock, received and replied by the other's.
  void add(std::int64_t sent, std::int64_t received, std::int64_t replied, std::int64_t arrived);
  bool known() const { return !samples_.empty(); }
  // Other clock minus this one; it is right within error() whatever the way there and back took.
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
