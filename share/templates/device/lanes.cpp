#include "lanes.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>

namespace {

// Timelines of other devices and of the host advance without a signal, so a waiting thread polls
// them.
constexpr std::chrono::microseconds kLooksAgain{50};

bool reached(const convoy_wait& point) {
  auto& timeline = const_cast<std::uint64_t&>(*point.timeline);
  return std::atomic_ref(timeline).load(std::memory_order_acquire) >= point.value;
}

}  // namespace

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Lanes::Lanes(std::function<void(const convoy_submission&)> run)
    : run_(std::move(run)), thread_([this] { serve(); }) {}

Lanes::~Lanes() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  submitted_.notify_one();
  thread_.join();
}

void Lanes::submit(const convoy_submission& submission) {
  if (submission.lane >= kCount) throw std::invalid_argument("there are five lanes");
  {
    const std::lock_guard lock(mutex_);
    queues_[submission.lane].push_back(&submission);
  }
  submitted_.notify_one();
}

bool Lanes::wait(const convoy_wait& point, double seconds) {
  const double end = now_seconds() + seconds;
  while (true) {
    const bool done = reached(point);
    {
      const std::lock_guard lock(mutex_);
      if (failure_) throw std::runtime_error(*failure_);
    }
    if (done || now_seconds() >= end) return done;
    std::this_thread::sleep_for(kLooksAgain);
  }
}

void Lanes::serve() {
  while (true) {
    const convoy_submission* submission = nullptr;
    {
      std::unique_lock lock(mutex_);
      submission = take_ready();
      if (submission == nullptr) {
        const bool empty = std::ranges::all_of(queues_, [](const auto& it) { return it.empty(); });
        if (empty && closing_) return;
        submitted_.wait_for(lock, kLooksAgain);
        continue;
      }
    }
    execute(*submission);
  }
}

// Returns the most urgent of the operations at the heads of the lanes that need not wait.
const convoy_submission* Lanes::take_ready() {
  std::deque<const convoy_submission*>* best = nullptr;
  for (auto& queue : queues_) {
    if (queue.empty()) continue;
    const convoy_submission& first = *queue.front();
    if (!std::all_of(first.waits, first.waits + first.wait_count, reached)) continue;
    if (best == nullptr || first.urgency < best->front()->urgency) best = &queue;
  }
  if (best == nullptr) return nullptr;
  const convoy_submission* submission = best->front();
  best->pop_front();
  return submission;
}

void Lanes::execute(const convoy_submission& submission) {
  const double start = now_seconds();
  std::optional<std::string> failure;
  bool failed = false;
  {
    const std::lock_guard lock(mutex_);
    failed = failure_.has_value();
  }
  try {
    if (!failed) run_(submission);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (failure) {
    const std::lock_guard lock(mutex_);
    failure_ = "operation " + std::to_string(submission.operation) + " failed: " + *failure;
  }
  if (submission.timing != nullptr) *submission.timing = {start, now_seconds()};
  // The last access: after this store, the submission belongs to the host again.
  std::atomic_ref(*submission.timeline).store(submission.value, std::memory_order_release);
}
