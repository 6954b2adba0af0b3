// The functions of a lane engine that launch runs of operations and finish them.
#include <algorithm>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {
namespace {

// How long a run is held back. A run that the host does not submit completely, or that waits for
// itself, was recognised by mistake. The time is far longer than submitting a step takes.
constexpr std::chrono::milliseconds kRunPatience{500};

}  // namespace

// Holds the run back. After kRunPatience, its operations are launched one by one.
void LaneEngine::hold(const OperationRun& run) {
  const auto now = std::chrono::steady_clock::now();
  const auto since = held_.try_emplace(&run, now).first->second;
  if (now - since < kRunPatience) return;
  held_.erase(&run);
  const std::lock_guard lock(mutex_);
  patterns_->forget();
  for (auto& lane : waiting_)
    for (Waiting& it : lane)
      if (it.run.get() == &run) it.run = nullptr;
}

void LaneEngine::launch_run(const OperationRun& run) {
  const auto flight = std::make_shared<Flight>();
  if (!failed_.load()) {
    try {
      if (!queue_run(run, *flight)) return launch_each(run);
    } catch (...) {
      fail(std::current_exception());
      end_after_failure(run, *flight);
    }
  }
  take_off(run, flight);
}

// Work that was queued before the failure still runs.
void LaneEngine::end_after_failure(const OperationRun& run, Flight& flight) {
  try {
    if (flight.end == nullptr) flight.end = driver_.record(run.lanes().front());
  } catch (const std::exception&) {  // the device is lost: nothing runs any more
  }
}

void LaneEngine::launch_each(const OperationRun& run) {
  for (const convoy_submission* it : run.operations()) launch(*it);
  try {
    hooks_.runs->end(run);
  } catch (...) {
    fail(std::current_exception());
  }
}

// Returns false if nothing was queued and the operations must be queued one by one. Everything goes
// through the stream of the first operation: work queued on the other lanes comes before the
// launch, and later work after it.
bool LaneEngine::queue_run(const OperationRun& run, Flight& flight) {
  hooks_.runs->begin(run);
  flight.run = hooks_.runs->find(run);
  if (flight.run == nullptr) return false;
  const std::uint32_t lane = run.lanes().front();
  for (const auto* waits : {&run.leading_waits(), &run.later_waits()})
    for (const convoy_wait& point : *waits)
      ledger_->wait(point, [&](StreamDriver::Event event) { driver_.wait(lane, event); });
  for (const std::uint32_t other : run.lanes()) {
    if (other == lane) continue;
    const StreamDriver::Event before = driver_.record(other);
    driver_.wait(lane, before);
    driver_.give_back(before);
  }
  flight.start = driver_.record(lane);
  std::exception_ptr error;
  try {
    flight.run->launch();
  } catch (...) {
    error = std::current_exception();
  }
  flight.end = driver_.record(lane);
  for (const std::uint32_t other : run.lanes())
    if (other != lane) driver_.wait(other, flight.end);
  hooks_.runs->end(run);
  if (error) fail(error);
  return true;
}

// The value that the last operation of a timeline reaches also covers the earlier ones.
void LaneEngine::take_off(const OperationRun& run, const std::shared_ptr<Flight>& flight) {
  const auto& operations = run.operations();
  std::vector<InFlight> items;
  std::map<const std::uint64_t*, std::size_t> last;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    InFlight item;
    item.submission = operations[i];
    item.timeline = operations[i]->timeline;
    item.value = operations[i]->value;
    item.flight = flight;
    item.place = i;
    items.push_back(item);
    last[item.timeline] = i;
  }
  for (const auto& [timeline, i] : last) {
    if (flight->end == nullptr) break;
    items[i].ends_timeline = true;
    ledger_->add(items[i].timeline, items[i].value, flight->end);
  }
  flight->open = items.size();
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < items.size(); ++i)
      in_flight_[operations[i]->lane].push_back(std::move(items[i]));
  }
  ledger_->ring();
}

// Reads the times before any operation is finished, because the run may be launched again then.
void LaneEngine::land(Flight& flight) {
  flight.ended = true;
  if (failed_.load()) return;
  flight.times = flight.run->times({driver_.time(flight.start), driver_.time(flight.end)});
}

void LaneEngine::finish_in_flight(const InFlight& item) {
  Flight& flight = *item.flight;
  if (!failed_.load()) {
    if (item.submission->timing != nullptr) *item.submission->timing = flight.times.at(item.place);
    flight.run->tell(*item.submission, item.place);
  }
  if (--flight.open == 0 && flight.run != nullptr) flight.run->landed();
  reach(item.timeline, item.value);
  if (item.ends_timeline) ledger_->remove(item.timeline, item.value);
  if (flight.open == 0)
    for (StreamDriver::Event event : {flight.start, flight.end})
      if (event != nullptr) driver_.give_back(event);
  {
    const std::lock_guard lock(mutex_);
    --open_;
  }
  if (item.ends_timeline || flight.open == 0) ledger_->ring();
}

}  // namespace convoy::cuda
