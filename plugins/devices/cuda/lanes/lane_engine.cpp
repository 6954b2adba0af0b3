#include "plugins/devices/cuda/lanes/lane_engine.hpp"

#include <algorithm>
#include <stdexcept>

namespace convoy::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// Interval between two polls of unreached events: much shorter than a step, much longer than a poll
// takes.
constexpr std::chrono::microseconds kBetweenPolls{20};
constexpr std::chrono::microseconds kIdle{50000};

// The longest sleep. Other code may advance timelines without ringing, unless there is a listener
// (convoy/abi/waking.h).
std::chrono::microseconds unknown_again() {
  return timeline_listeners().is_empty() ? std::chrono::microseconds(500) : kIdle;
}

}  // namespace

LaneEngine::LaneEngine(StreamDriver& driver, std::shared_ptr<EventLedger> ledger, Hooks hooks)
    : driver_(driver),
      ledger_(std::move(ledger)),
      hooks_(std::move(hooks)),
      patterns_(hooks_.runs == nullptr
                    ? nullptr
                    : std::make_unique<StepPatterns>(
                          ledger_, this,
                          [runs = hooks_.runs](const auto& it) { return runs->takes(it); })),
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
  bool launches = true;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<OperationRun> run = patterns_ ? patterns_->submitted(submission) : nullptr;
    launches = run == nullptr || run->is_complete();
    waiting_[submission.lane].push_back({&submission, std::move(run)});
    ++open_;
  }
  if (launches) ledger_->ring();
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
    ledger_->sleep(epoch, unknown_again());
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
    if (const Unit unit = take_ready(); unit.submission != nullptr) {
      if (unit.run == nullptr)
        launch(*unit.submission);
      else
        launch_run(*unit.run);
      continue;
    }
    if (closing_.load() && is_idle()) return;
    ledger_->sleep(epoch, unknown_again());
  }
}

bool LaneEngine::is_idle() {
  const std::lock_guard lock(mutex_);
  return open_ == 0;
}

bool LaneEngine::know(const convoy_wait* waits, std::size_t count) {
  return std::all_of(waits, waits + count,
                     [this](const convoy_wait& point) { return ledger_->knows(point); });
}

// A failed device waits for nothing. A run of operations is held back, for kRunPatience at most,
// while it is incomplete or one of its later operations waits, possibly for an earlier one of the
// same run.
bool LaneEngine::is_ready(const Unit& unit) {
  const bool failed = failed_.load();
  if (unit.run == nullptr)
    return failed || know(unit.submission->waits, unit.submission->wait_count);
  if (unit.complete) {
    const OperationRun& run = *unit.run;
    if (failed) return true;
    if (!know(run.leading_waits().data(), run.leading_waits().size())) return false;
    if (know(run.later_waits().data(), run.later_waits().size())) return true;
  }
  hold(*unit.run);
  return false;
}

// Returns the operations at the heads of the lanes. A run is included only if it is at the heads of
// all its lanes.
std::vector<LaneEngine::Unit> LaneEngine::heads() {
  std::vector<Unit> units;
  const std::lock_guard lock(mutex_);
  for (const std::deque<Waiting>& lane : waiting_) {
    if (lane.empty()) continue;
    const Waiting& head = lane.front();
    const OperationRun* run = head.run.get();
    const auto leads = [&](std::uint32_t other) {
      return !waiting_[other].empty() && waiting_[other].front().run.get() == run;
    };
    if (run != nullptr && (head.submission != &run->first() ||
                           !std::all_of(run->lanes().begin(), run->lanes().end(), leads)))
      continue;
    units.push_back({head.submission, head.run, run == nullptr || run->is_complete()});
  }
  return units;
}

// Takes the most urgent of the heads that can be queued.
LaneEngine::Unit LaneEngine::take_ready() {
  Unit best;
  for (Unit& unit : heads()) {
    if (best.submission != nullptr && unit.submission->urgency >= best.submission->urgency)
      continue;
    if (is_ready(unit)) best = std::move(unit);
  }
  if (best.submission != nullptr) take(best);
  return best;
}

void LaneEngine::take(const Unit& unit) {
  const std::lock_guard lock(mutex_);
  if (unit.run == nullptr) return waiting_[unit.submission->lane].pop_front();
  held_.erase(unit.run.get());
  for (const convoy_submission* it : unit.run->operations()) waiting_[it->lane].pop_front();
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

// Work that was queued before a failure still runs, so the end is that of the stream. The
// submission is not accessed once the failure is visible. If the end of a failed operation fails,
// too, that error is ignored.
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
  try {
    item.end = driver_.record(lane);
  } catch (...) {
    if (!error) throw;
  }
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
      std::this_thread::sleep_for(kBetweenPolls);
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

// A lost device never reaches its events, so nothing runs any more. An error that the check throws
// may be the reason why an event is reached, so the check comes after that. It does not end running
// work, which continues to access its memory until its event is reached.
bool LaneEngine::has_ended(const InFlight& item) {
  if (item.flight != nullptr && item.flight->ended) return true;
  const StreamDriver::Event end = item.flight == nullptr ? item.end : item.flight->end;
  if (end == nullptr) return true;
  try {
    const bool reached = driver_.reached(end);
    check();
    if (reached && item.flight != nullptr) land(*item.flight);
    return reached;
  } catch (...) {
    fail(std::current_exception());
    return true;
  }
}

// A failure is permanent.
void LaneEngine::check() {
  if (!hooks_.check || failed_.load()) return;
  try {
    hooks_.check();
  } catch (...) {
    fail(std::current_exception());
  }
}

// Nothing of the submission is accessed once its timeline or a failure is visible, because the host
// may free it.
void LaneEngine::finish(InFlight& item) {
  if (item.flight != nullptr) return finish_in_flight(item);
  if (!failed_.load() && item.start != nullptr) {
    try {
      *item.submission->timing = {driver_.time(item.start), driver_.time(item.end)};
    } catch (...) {
      fail(std::current_exception());
    }
  }
  try {
    hooks_.finish(failed_.load() ? nullptr : item.submission, item.token);
  } catch (...) {
    fail(std::current_exception());
  }
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
