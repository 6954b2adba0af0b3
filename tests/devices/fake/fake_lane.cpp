#include "tests/devices/fake/fake_lane.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <ctime>
#include <span>

namespace convoy::testing {
namespace {

// Timelines that others advance, the host's own, wake nobody.
constexpr long kLookAgainNanoseconds = 200'000;

std::uint64_t value_of(const std::uint64_t* timeline) {
  auto* value = const_cast<std::uint64_t*>(timeline);  // atomic_ref takes no const
  return std::atomic_ref<std::uint64_t>(*value).load(std::memory_order_acquire);
}

void await(const convoy_submission& submission) {
  for (const convoy_wait& point : std::span(submission.waits, submission.wait_count))
    while (!reached(point)) wait_briefly(point);
}

// The timeline may be gone once it has advanced: waking takes no more than its address.
void advance(std::uint64_t* timeline, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(*timeline).store(value, std::memory_order_release);
  syscall(SYS_futex, timeline, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

bool reached(const convoy_wait& point) {
  return value_of(point.timeline) >= point.value;
}

// Threads sleep on the low half of the timeline itself: no lock, and no order between threads but
// that of the timelines, which the thread sanitizer is to judge.
void wait_briefly(const convoy_wait& point) {
  const std::uint64_t seen = value_of(point.timeline);
  if (seen >= point.value) return;
  const timespec limit{0, kLookAgainNanoseconds};
  syscall(SYS_futex, point.timeline, FUTEX_WAIT_PRIVATE, static_cast<std::uint32_t>(seen), &limit,
          nullptr, 0);
}

FakeLane::FakeLane(Execute execute, std::uint64_t seed, double longest_delay_seconds)
    : execute_(std::move(execute)),
      random_(seed),
      longest_delay_(longest_delay_seconds),
      thread_([this] { serve(); }) {}

FakeLane::~FakeLane() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void FakeLane::submit(const convoy_submission& submission) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(&submission);
  }
  changed_.notify_one();
}

const convoy_submission* FakeLane::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
  if (queue_.empty()) return nullptr;
  const convoy_submission* submission = queue_.front();
  queue_.pop_front();
  return submission;
}

// Mostly none: operations that follow each other at once are as telling as those that do not.
void FakeLane::delay() {
  if (longest_delay_ <= 0 || random_() % 4 != 0) return;
  const double fraction = static_cast<double>(random_() % 1024) / 1024;
  std::this_thread::sleep_for(std::chrono::duration<double>(fraction * longest_delay_));
}

void FakeLane::serve() {
  while (const convoy_submission* submission = next()) {
    await(*submission);
    delay();
    execute_(*submission);
    delay();
    // The submission may be gone once its timeline has advanced.
    advance(submission->timeline, submission->value);
  }
}

}  // namespace convoy::testing
