#include "plugins/devices/cpu/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <ctime>

namespace convoy::cpu {

void Doorbell::ring() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &epoch_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// std::atomic::wait has no time limit, hence the system call.
void Doorbell::sleep(std::uint32_t seen, double seconds) {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (epoch() == seen) {
    syscall(SYS_futex, &epoch_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
  }
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

// The fence pairs with the registration in wait(): either this sees the waiter, or the waiter sees
// the new value of the timeline.
void Doorbell::reached(const std::uint64_t* timeline, std::uint64_t value) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(mutex_);
  for (Waiter* waiter : waiters_) {
    if (waiter->point.timeline == timeline && waiter->point.value <= value) {
      waiter->woken.notify_all();
    }
  }
}

void Doorbell::wake_hosts() {
  const std::lock_guard lock(mutex_);
  for (Waiter* waiter : waiters_) waiter->woken.notify_all();
}

void Doorbell::block(Waiter& waiter, double seconds) {
  std::unique_lock lock(mutex_);
  if (holds(waiter.point)) return;
  waiter.woken.wait_for(lock, std::chrono::duration<double>(seconds));
}

std::shared_ptr<Doorbell> shared_doorbell() {
  static std::mutex mutex;
  static std::weak_ptr<Doorbell> current;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Doorbell> doorbell = current.lock();
  if (!doorbell) {
    doorbell = std::make_shared<Doorbell>();
    current = doorbell;
  }
  return doorbell;
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace convoy::cpu
