#pragma once

#include <convoy/abi.h>

#include <chrono>
#include <condition_variable>
#include <convoy/waking.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convoy::cuda {

// Whether a timeline has reached the point.
bool holds(const convoy_wait& point);
// The listeners for timelines that devices of this process advance.
TimelineListeners& timeline_listeners();
// Lets a timeline reach a value; a thread that sees it sees everything written before it. Tells
// timeline_listeners().
void reach(std::uint64_t* timeline, std::uint64_t value);

// Maps future points of timelines to the devices' events for them, so that one stream can wait for
// another without the host. All devices of the process share one. Thread-safe.
class EventLedger {
 public:
  using Event = void*;
  enum class Answer { kReached, kWaited, kUnknown };

  // The event is recorded on a stream: the timeline reaches the value when it is.
  void add(const std::uint64_t* timeline, std::uint64_t value, Event event);
  // The timeline has reached the value: its event may be used for something else.
  void remove(const std::uint64_t* timeline, std::uint64_t value);
  // Calls wait_for with the event that stands for the point. kUnknown: nothing that reaches it has
  // been queued.
  Answer wait(const convoy_wait& point, const std::function<void(Event)>& wait_for);
  bool knows(const convoy_wait& point);

  // An operation of a device waits for the point. This only informs is_awaited(): not every wait
  // needs to be noted, and the oldest are forgotten.
  void note_awaited(const convoy_wait& point, const void* device);
  bool is_awaited(const convoy_wait& point);
  bool is_awaited_elsewhere(const convoy_wait& point, const void* device);  // by another device

  // A number that grows with every change and every ring(); sleep() returns once it is not `epoch`.
  std::uint64_t epoch();
  void ring();
  void sleep(std::uint64_t epoch, std::chrono::microseconds longest);

 private:
  struct Entry {
    std::uint64_t value;
    Event event;
  };

  const Entry* find(const convoy_wait& point) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t epoch_ = 0;
  std::unordered_map<const std::uint64_t*, std::vector<Entry>> entries_;  // ascending values
  std::map<std::pair<const std::uint64_t*, std::uint64_t>, std::vector<const void*>> awaited_;
};

// All devices of the process: streams of one wait for events of another.
const std::shared_ptr<EventLedger>& shared_ledger();

}  // namespace convoy::cuda
