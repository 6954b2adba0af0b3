#include "plugins/devices/cpu/lanes/lane_engine.hpp"

#include <algorithm>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace convoy::cpu {
namespace {

// About 50 microseconds: longer than the gap between two operations of a step, but too short to
// matter to another thread on the same core.
constexpr int kSpinRounds = 400;
constexpr int kPausesPerRound = 4;
constexpr double kEmptySeconds = 0.1;

void pause_briefly() {
  for (int i = 0; i < kPausesPerRound; ++i) {
#if defined(__x86_64__)
    _mm_pause();
#else
    std::this_thread::yield();
#endif
  }
}

// Returns null when the operation may start.
const convoy_wait* first_unmet(const convoy_submission& submission) {
  const convoy_wait* end = submission.waits + submission.wait_count;
  const convoy_wait* found = std::find_if_not(submission.waits, end, holds);
  return found == end ? nullptr : found;
}

}  // namespace

LaneEngine::LaneEngine(Hooks hooks)
    : hooks_(std::move(hooks)),
      doorbells_(shared_doorbells()),
      doorbell_(doorbells_->take()),
      thread_([this] { serve(); }) {}

LaneEngine::~LaneEngine() {
  closing_.store(true, std::memory_order_seq_cst);
  doorbell_.ring();
  thread_.join();
  Doorbells::give_back(doorbell_);
}

void LaneEngine::submit(const convoy_submission& submission) {
  if (submission.lane >= kLanes) throw std::invalid_argument("no such lane");
  queues_[submission.lane].put(submission);
  doorbell_.ring();
}

void LaneEngine::call(const std::function<void()>& work) {
  const std::lock_guard one_at_a_time(one_call_);
  std::unique_lock lock(mutex_);
  pending_call_ = &work;
  call_finished_ = false;
  call_error_ = nullptr;
  has_call_.store(true, std::memory_order_seq_cst);
  doorbell_.ring();
  call_done_.wait(lock, [this] { return call_finished_; });
  if (call_error_) std::rethrow_exception(call_error_);
}

bool LaneEngine::wait(const convoy_wait& point, double seconds) {
  doorbells_->wait(point, seconds, failed_);
  if (failed_.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    throw std::runtime_error(failure_);
  }
  return holds(point);
}

void LaneEngine::serve() {
  hooks_.start();
  int idle_rounds = 0;
  for (;;) {
    const std::uint32_t epoch = doorbell_.epoch();
    if (has_call_.load(std::memory_order_acquire)) serve_call();
    const convoy_submission* submission = next_ready();
    if (submission != nullptr) {
      idle_rounds = 0;
      run(*submission);
      continue;
    }
    if (closing_.load(std::memory_order_acquire) && is_empty()) break;
    idle_until_change(epoch, idle_rounds);
  }
  hooks_.finish();
}

void LaneEngine::serve_call() {
  std::exception_ptr error;
  try {
    (*pending_call_)();
  } catch (...) {
    error = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  has_call_.store(false, std::memory_order_relaxed);
  call_error_ = error;
  call_finished_ = true;
  call_done_.notify_all();
}

const convoy_submission* LaneEngine::next_ready() {
  const convoy_submission* best = nullptr;
  for (std::size_t step = 1; step <= kLanes; ++step) {
    // The compute lane, 0, comes last.
    const convoy_submission* head = queues_[step % kLanes].head();
    if (head == nullptr || (best != nullptr && head->urgency >= best->urgency)) continue;
    if (first_unmet(*head) == nullptr) best = head;
  }
  if (best != nullptr) queues_[best->lane].pop();
  return best;
}

bool LaneEngine::is_empty() const {
  return std::all_of(queues_.begin(), queues_.end(),
                     [](const SubmissionQueue& queue) { return queue.head() == nullptr; });
}

// Nothing of the submission is accessed once the failure or the timeline is visible, because the
// host may free it then.
void LaneEngine::run(const convoy_submission& submission) {
  std::uint64_t* timeline = submission.timeline;
  const std::uint64_t value = submission.value;
  const double start = monotonic_seconds();
  std::exception_ptr error;
  if (!failed_.load(std::memory_order_relaxed)) {
    try {
      hooks_.execute(submission);
    } catch (...) {
      error = std::current_exception();
    }
  }
  if (submission.timing != nullptr) *submission.timing = {start, monotonic_seconds()};
  if (error) record_failure(error);
  doorbells_->reach(timeline, value);
}

void LaneEngine::record_failure(const std::exception_ptr& error) {
  std::string text = "an operation threw something that is not an exception";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    text = exception.what();
  } catch (...) {
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = text;
  }
  failed_.store(true, std::memory_order_seq_cst);
  doorbells_->ring_all();
}

void LaneEngine::idle_until_change(std::uint32_t epoch, int& idle_rounds) {
  if (hooks_.spin && idle_rounds < kSpinRounds) {
    ++idle_rounds;
    pause_briefly();
    return;
  }
  std::array<convoy_wait, kLanes> points;
  std::size_t count = 0;
  for (const SubmissionQueue& queue : queues_) {
    const convoy_submission* head = queue.head();
    if (head == nullptr) continue;
    const convoy_wait* unmet = first_unmet(*head);
    if (unmet == nullptr) return;
    points[count++] = *unmet;
  }
  const bool hears_of_all = count == 0 || (count <= Doorbell::kMostPoints && all_tell());
  const double look_again = doorbells_->look_again_seconds();
  doorbell_.sleep(epoch, {points.data(), count},
                  hears_of_all ? std::max(kEmptySeconds, look_again) : look_again);
}

}  // namespace convoy::cpu
