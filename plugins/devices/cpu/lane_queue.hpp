#pragma once

#include <convoy/abi.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

namespace convoy::cpu {

inline constexpr std::size_t kLanes = 5;

// The submitted operations of all lanes, each lane first in, first out. Rings that grow only when
// they are full, so that submitting allocates nothing once a run has settled. One thread takes, any
// may put.
class LaneQueues {
 public:
  using Heads = std::array<const convoy_submission*, kLanes>;

  LaneQueues();
  void put(const convoy_submission& submission);
  // Oldest operation of every lane, null where a lane is empty.
  Heads heads();
  // Removes the oldest operation of a lane; it stays valid until its timeline has been advanced.
  void pop(std::size_t lane);
  bool empty();

 private:
  struct Ring {
    std::vector<const convoy_submission*> slots;
    std::size_t first = 0;
    std::size_t count = 0;
  };

  std::mutex mutex_;
  std::array<Ring, kLanes> lanes_;
};

}  // namespace convoy::cpu
