#include "plugins/devices/cpu/lanes/doorbell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <ctime>
#include <mutex>

namespace convoy::cpu {

void Doorbell::ring() {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &epoch_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// All accesses are in one total order: either this thread sees the new value of a timeline, or the
// thread that stored it sees asleep_ and the points. The code uses a system call because
// std::atomic::wait has no time limit.
void Doorbell::sleep(std::uint32_t seen, std::span<const convoy_wait> points, double seconds) {
  const std::size_t count = std::min(points.size(), kMostPoints);
  for (std::size_t i = 0; i < count; ++i) {
    timelines_[i].store(points[i].timeline, std::memory_order_relaxed);
    values_[i].store(points[i].value, std::memory_order_relaxed);
  }
  point_count_.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
  asleep_.store(1, std::memory_order_seq_cst);
  if (epoch() == seen && std::none_of(points.begin(), points.end(), holds)) {
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(seconds);
    limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
    syscall(SYS_futex, &epoch_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
  }
  asleep_.store(0, std::memory_order_seq_cst);
}

bool Doorbell::wants(const std::uint64_t* timeline, std::uint64_t value) const {
  if (asleep_.load(std::memory_order_seq_cst) == 0) return false;
  const std::uint32_t count = point_count_.load(std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (timelines_[i].load(std::memory_order_relaxed) == timeline &&
        values_[i].load(std::memory_order_relaxed) <= value)
      return true;
  }
  return false;
}

Doorbells::~Doorbells() {
  for (Doorbell* bell = first_.load(std::memory_order_relaxed); bell != nullptr;) {
    const std::unique_ptr<Doorbell> owned(bell);
    bell = owned->next_.load(std::memory_order_relaxed);
  }
}

Doorbell& Doorbells::take() {
  for (Doorbell* bell = first_.load(std::memory_order_acquire); bell != nullptr;
       bell = bell->next_.load(std::memory_order_relaxed)) {
    if (bell->taken_.exchange(1, std::memory_order_acq_rel) == 0) return *bell;
  }
  count_.fetch_add(1, std::memory_order_relaxed);
  auto fresh = std::make_unique<Doorbell>();
  fresh->taken_.store(1, std::memory_order_relaxed);
  Doorbell* first = first_.load(std::memory_order_acquire);
  do {
    fresh->next_.store(first, std::memory_order_relaxed);
  } while (!first_.compare_exchange_weak(first, fresh.get(), std::memory_order_acq_rel));
  return *fresh.release();
}

void Doorbells::give_back(Doorbell& doorbell) {
  doorbell.taken_.store(0, std::memory_order_release);
}

void Doorbells::reach(std::uint64_t* timeline, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*timeline).store(value, std::memory_order_seq_cst);
  wake(timeline, value);
  timeline_listeners().tell(timeline, value);
}

void Doorbells::wake(const std::uint64_t* timeline, std::uint64_t value) {
  for (Doorbell* bell = first_.load(std::memory_order_acquire); bell != nullptr;
       bell = bell->next_.load(std::memory_order_relaxed)) {
    if (bell->wants(timeline, value)) bell->ring();
  }
}

void Doorbells::ring_all() {
  for (Doorbell* bell = first_.load(std::memory_order_acquire); bell != nullptr;
       bell = bell->next_.load(std::memory_order_relaxed))
    bell->ring();
}

double Doorbells::look_again_seconds() const {
  constexpr double kOfFew = 0.001;
  constexpr double kFew = 32;
  const double times = std::max(1.0, count_.load(std::memory_order_relaxed) / kFew);
  return kOfFew * times * times;
}

void Doorbells::wait(const convoy_wait& point, double seconds, const std::atomic<bool>& stop) {
  const double look_again = all_tell() ? 0.1 : 5 * look_again_seconds();
  if (holds(point) || stop.load(std::memory_order_acquire)) return;
  const double deadline = monotonic_seconds() + seconds;
  Doorbell& bell = take();
  for (;;) {
    const std::uint32_t epoch = bell.epoch();
    const double left = deadline - monotonic_seconds();
    if (holds(point) || stop.load(std::memory_order_seq_cst) || left <= 0.0) break;
    bell.sleep(epoch, {&point, 1}, std::min(left, look_again));
  }
  give_back(bell);
}

TimelineListeners& timeline_listeners() {
  static TimelineListeners listeners;
  return listeners;
}

bool all_tell() {
  return !timeline_listeners().is_empty();
}

std::shared_ptr<Doorbells> shared_doorbells() {
  static std::mutex mutex;
  static std::weak_ptr<Doorbells> current;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Doorbells> doorbells = current.lock();
  if (!doorbells) {
    doorbells = std::make_shared<Doorbells>();
    current = doorbells;
  }
  return doorbells;
}

double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace convoy::cpu
