#include "plugins/devices/cpu/lane_queue.hpp"

#include <algorithm>

namespace convoy::cpu {

LaneQueues::LaneQueues() {
  constexpr std::size_t kInitialSlots = 1024;  // more than the operations of a usual step
  for (Ring& lane : lanes_) lane.slots.resize(kInitialSlots);
}

void LaneQueues::put(const convoy_submission& submission) {
  const std::lock_guard lock(mutex_);
  Ring& lane = lanes_[submission.lane];
  if (lane.count == lane.slots.size()) {
    std::rotate(lane.slots.begin(), lane.slots.begin() + static_cast<std::ptrdiff_t>(lane.first),
                lane.slots.end());
    lane.first = 0;
    lane.slots.resize(lane.slots.size() * 2);
  }
  lane.slots[(lane.first + lane.count) % lane.slots.size()] = &submission;
  ++lane.count;
}

LaneQueues::Heads LaneQueues::heads() {
  const std::lock_guard lock(mutex_);
  Heads heads{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Ring& ring = lanes_[lane];
    heads[lane] = ring.count == 0 ? nullptr : ring.slots[ring.first];
  }
  return heads;
}

void LaneQueues::pop(std::size_t lane) {
  const std::lock_guard lock(mutex_);
  Ring& ring = lanes_[lane];
  ring.first = (ring.first + 1) % ring.slots.size();
  --ring.count;
}

bool LaneQueues::empty() {
  const std::lock_guard lock(mutex_);
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const Ring& lane) { return lane.count == 0; });
}

}  // namespace convoy::cpu
