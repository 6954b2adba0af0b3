#include "plugins/devices/cuda/lane_engine.hpp"

#include <algorithm>
#include <stdexcept>

namespace convoy::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Between two looks at events that are not reached: far below a step, far above the cost of a look.
constexpr std::chrono::microseconds kLookAgain{20};
// For timelines that others advance without ringing.
constexpr std::chrono::microseconds kUnknownAgain{500};
constexpr std::chrono::microseconds kIdle{50000};

}  // namespace

LaneEngine::LaneEngine(StreamDriver& driver, std::shared_ptr<EventLedger> ledger, Hooks hooks)
    : driver_(driver),
      ledger_(std::move(ledger)),
      hooks_(std::move(hooks)),
      launcher_([this] { launch_loop(); }),
      watcher_([this] { watch_loop(); }) {}

LaneEngine::~LaneEngine() {
  closing_.store(true);
  ledger_->ring();
  launcher_.join();
  watcher_.join();
}

void LaneEngine::submit(const convoy_submission& submission) {
  if (submission.lane >= kLanes) throw std::invalid_argument("CUDA devices have 5 lanes");
  {
    const std::lock_guard lock(mutex_);
    waiting_[submission.lane].push_back(&submission);
    ++open_;
  }
  ledger_->ring();
}

bool LaneEngine::wait(const convoy_wait& point, double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (;;) {
    const std::uint64_t epoch = ledger_->epoch();
    if (failed_.load()) {
      const std::lock_guard lock(mutex_);
      std::rethrow_exception(failure_);
    }
    if (holds(point)) return true;
    if (Clock::now() >= deadline) return false;
    ledger_->sleep(epoch, kUnknownAgain);
  }
}

void LaneEngine::launch_loop() {
  try {
    driver_.begin_thread();
  } catch (...) {
    fail(std::current_exception());
  }
  for (;;) {
    const std::uint64_t epoch = ledger_->epoch();
    if (const convoy_submission* submission = take_ready()) {
      launch(*submission);
      continue;
    }
    if (closing_.load() && is_idle()) return;
    ledger_->sleep(epoch, kUnknownAgain);
  }
}

bool LaneEngine::is_idle() {
  const std::lock_guard lock(mutex_);
  return open_ == 0;
}

// Once the device has failed nothing is worth waiting for.
bool LaneEngine::is_ready(const convoy_submission& submission) {
  return failed_.load() ||
         std::all_of(submission.waits, submission.waits + submission.wait_count,
                     [this](const convoy_wait& point) { return ledger_->knows(point); });
}

// The most urgent of the operations at the heads of the lanes that can be queued.
const convoy_submission* LaneEngine::take_ready() {
  std::array<const convoy_submission*, kLanes> heads{};
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (!waiting_[lane].empty()) heads[lane] = waiting_[lane].front();
  }
  const convoy_submission* best = nullptr;
  for (const convoy_submission* head : heads) {
    if (head == nullptr || (best != nullptr && head->urgency >= best->urgency)) continue;
    if (is_ready(*head)) best = head;
  }
  if (best == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  waiting_[best->lane].pop_front();
  return best;
}

void LaneEngine::launch(const convoy_submission& submission) {
  const std::uint32_t lane = submission.lane;
  InFlight item;
  item.submission = &submission;
  item.timeline = submission.timeline;
  item.value = submission.value;
  if (!failed_.load()) {
    try {
      queue_work(item);
    } catch (...) {
      fail(std::current_exception());
    }
  }
  if (item.end != nullptr) ledger_->add(item.timeline, item.value, item.end);
  {
    const std::lock_guard lock(mutex_);
    in_flight_[lane].push_back(item);
  }
  ledger_->ring();
}

// What was queued before a failure still runs: the end is that of the stream. The submission is not
// touched once the failure shows.
void LaneEngine::queue_work(InFlight& item) {
  const convoy_submission& it = *item.submission;
  const std::uint32_t lane = it.lane;
  for (std::uint64_t i = 0; i < it.wait_count; ++i)
    ledger_->wait(it.waits[i], [&](StreamDriver::Event event) { driver_.wait(lane, event); });
  if (it.timing != nullptr) item.start = driver_.record(lane);
  std::exception_ptr error;
  try {
    item.token = hooks_.execute(it);
  } catch (...) {
    error = std::current_exception();
  }
  item.end = driver_.record(lane);
  if (error) fail(error);
}

void LaneEngine::watch_loop() {
  try {
    driver_.begin_thread();
  } catch (...) {
    fail(std::current_exception());
  }
  for (;;) {
    const std::uint64_t epoch = ledger_->epoch();
    if (finish_reached()) continue;
    bool watches = false;
    {
      const std::lock_guard lock(mutex_);
      if (closing_.load() && open_ == 0) return;
      for (const auto& items : in_flight_) watches = watches || !items.empty();
    }
    if (watches)
      std::this_thread::sleep_for(kLookAgain);
    else
      ledger_->sleep(epoch, kIdle);
  }
}

bool LaneEngine::finish_reached() {
  bool any = false;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    InFlight item;
    {
      const std::lock_guard lock(mutex_);
      if (in_flight_[lane].empty()) continue;
      item = in_flight_[lane].front();
    }
    if (!has_ended(item)) continue;
    {
      const std::lock_guard lock(mutex_);
      in_flight_[lane].pop_front();
    }
    finish(item);
    any = true;
  }
  return any;
}

// A lost device never reaches its events: then nothing runs any more. What the check throws may be
// the reason why an event is reached: it comes after that.
bool LaneEngine::has_ended(const InFlight& item) {
  if (item.end == nullptr) return true;
  try {
    const bool reached = driver_.reached(item.end);
    if (hooks_.check) hooks_.check();
    return reached;
  } catch (...) {
    fail(std::current_exception());
    return true;
  }
}

// Nothing of the submission is touched once its timeline or a failure shows: the host may free it.
void LaneEngine::finish(InFlight& item) {
  if (!failed_.load() && item.start != nullptr) {
    try {
      *item.submission->timing = {driver_.time(item.start), driver_.time(item.end)};
    } catch (...) {
      fail(std::current_exception());
    }
  }
  hooks_.finish(failed_.load() ? nullptr : item.submission, item.token);
  reach(item.timeline, item.value);
  if (item.end != nullptr) {
    ledger_->remove(item.timeline, item.value);
    driver_.give_back(item.end);
  }
  if (item.start != nullptr) driver_.give_back(item.start);
  {
    const std::lock_guard lock(mutex_);
    --open_;
  }
  ledger_->ring();
}

void LaneEngine::fail(const std::exception_ptr& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failed_.load()) failure_ = error;
    failed_.store(true);
  }
  ledger_->ring();
}

}  // namespace convoy::cuda
