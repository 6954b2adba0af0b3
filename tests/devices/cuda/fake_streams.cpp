#include "tests/devices/cuda/fake_streams.hpp"

#include <stdexcept>

namespace convoy::cuda {

StreamDriver::Event FakeStreams::record(std::uint32_t lane) {
  const std::lock_guard lock(mutex_);
  if (broken_) throw std::runtime_error("the device fell off the bus");
  marks_.emplace_back();
  streams_.at(lane).push_back({&marks_.back(), false});
  ++queued_.at(lane);
  ++open_;
  return &marks_.back();
}

void FakeStreams::wait(std::uint32_t lane, Event event) {
  const std::lock_guard lock(mutex_);
  streams_.at(lane).push_back({static_cast<Mark*>(event), true});
}

bool FakeStreams::reached(Event event) {
  const std::lock_guard lock(mutex_);
  if (broken_) throw std::runtime_error("the device fell off the bus");
  return static_cast<Mark*>(event)->reached;
}

double FakeStreams::time(Event event) {
  const std::lock_guard lock(mutex_);
  return static_cast<Mark*>(event)->time;
}

void FakeStreams::give_back(Event) {
  const std::lock_guard lock(mutex_);
  --open_;
}

bool FakeStreams::step(std::uint32_t lane) {
  std::deque<Entry>& stream = streams_.at(lane);
  if (stream.empty()) return false;
  const Entry entry = stream.front();
  if (entry.waits && !entry.mark->reached) return false;
  stream.pop_front();
  if (!entry.waits) *entry.mark = {true, ++clock_};
  return true;
}

void FakeStreams::run(std::uint32_t lane) {
  const std::lock_guard lock(mutex_);
  while (step(lane)) {
  }
}

void FakeStreams::run_all() {
  const std::lock_guard lock(mutex_);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::uint32_t lane = 0; lane < kStreams; ++lane) moved = step(lane) || moved;
  }
}

std::size_t FakeStreams::open_events() {
  const std::lock_guard lock(mutex_);
  return open_;
}

std::size_t FakeStreams::queued(std::uint32_t lane) {
  const std::lock_guard lock(mutex_);
  return queued_.at(lane);
}

}  // namespace convoy::cuda
