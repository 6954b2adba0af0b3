#include "core/runtime/timeline_bell.hpp"

#include <convoy/abi/common.h>

#include <atomic>

namespace convoy {

TimelineBell::TimelineBell(const convoy_device_waking* waking) : waking_(waking) {
  if (waking_ != nullptr && waking_->listen(&heard, this) != CONVOY_OK) waking_ = nullptr;
}

TimelineBell::~TimelineBell() {
  if (waking_ != nullptr) waking_->forget(this);
}

void TimelineBell::heard(void* self, const std::uint64_t* timeline, std::uint64_t value) {
  auto& bell = *static_cast<TimelineBell*>(self);
  if (bell.watch_.wants(timeline, value)) bell.ring();
}

// Either the sleeper sees the new values, or this sees that it sleeps.
void TimelineBell::advanced() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (watch_.is_asleep()) ring();
}

void TimelineBell::sleep(std::span<const convoy_wait> points, std::span<const int> descriptors,
                         double seconds) {
  if (watch_.begin(points)) wake_up_.sleep(descriptors, seconds);
  watch_.end();
}

}  // namespace convoy
