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
// Stores the value of a timeline. A thread that sees it sees everything written before it. Tells
// timeline_listeners().
void reach(std::uint64_t* timeline, std::uint64_t value);

// Maps future points of timelines to the devices' events for them, so that one stream can wait for
// another without the host. All devices of the process share one ledger. Thread-safe.
class EventLedger {
 public:
  using Event = void*;
  enum class Answer { kReached, kWaited, kUnknown };

  // Adds an event that is recorded on a stream. The timeline reaches the value when the event is
  // reached.
  void add(const std::uint64_t* timeline, std::uint64_t value, Event event);
  // Removes the event of a value that the timeline has reached: it may be used for something else.
  void remove(const std::uint64_t* timeline, std::uint64_t value);
  // Calls wait_for with the event for the point. kUnknown: no operation that reaches it has been
  // queued.
  Answer wait(const convoy_wait& point, const std::function<void(Event)>& wait_for);
  bool knows(const convoy_wait& point);

  // Notes that an operation of a device waits for the point. This only informs is_awaited(): not
  // every wait needs to be noted, and the oldest are forgotten.
  void note_awaited(const convoy_wait& point, const void* device);
  bool is_awaited(const convoy_wait& point);
  bool is_awaited_elsewhere(const convoy_wait& point, const void* device);  // by another device

  // Grows with every change and every ring(); sleep() returns once it differs from `epoch`.
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

// The ledger of all devices of the process: streams of one device wait for events of another.
const std::shared_ptr<EventLedger>& shared_ledger();

}  // namespace convoy::cuda
