#include "tests/devices/fake/fake_lane.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace convoy::testing {
namespace {

constexpr int kLooksBeforeSleep = 20;
constexpr std::chrono::microseconds kLaneLooksAgain{20};

void await(const convoy_submission& submission) {
  const convoy_wait* end = submission.waits + submission.wait_count;
  for (int looks = 0; !std::all_of(submission.waits, end, reached); ++looks) {
    if (looks < kLooksBeforeSleep)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kLaneLooksAgain);
  }
}

}  // namespace

bool reached(const convoy_wait& point) {
  auto* timeline = const_cast<std::uint64_t*>(point.timeline);  // atomic_ref takes no const
  return std::atomic_ref<std::uint64_t>(*timeline).load(std::memory_order_acquire) >= point.value;
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
    std::atomic_ref<std::uint64_t>(*submission->timeline)
        .store(submission->value, std::memory_order_release);
  }
}

}  // namespace convoy::testing
