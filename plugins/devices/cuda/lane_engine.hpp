#pragma once

#include <convoy/abi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "plugins/devices/cuda/event_ledger.hpp"

namespace convoy::cuda {

inline constexpr std::size_t kLanes = 5;
// Behind the lanes there is one more stream, on which batches of images come.
inline constexpr std::uint32_t kInputStream = kLanes;
inline constexpr std::size_t kStreams = kLanes + 1;

// What the engine needs of streams and events. Functions throw when the device has failed.
class StreamDriver {
 public:
  using Event = EventLedger::Event;

  virtual ~StreamDriver() = default;
  virtual void begin_thread() = 0;               // on every thread of the engine, first
  virtual Event record(std::uint32_t lane) = 0;  // or kInputStream, here and below
  virtual void wait(std::uint32_t lane, Event event) = 0;
  virtual bool reached(Event event) = 0;
  virtual double time(Event event) = 0;  // of a reached event, on the clock of now(), in seconds
  virtual void give_back(Event event) = 0;
};

// The lanes of one device as streams. A thread queues each operation on its lane's stream as soon
// as everything that it waits for is queued somewhere: the waiting itself is done by the device.
// Another thread watches the events and lets timelines advance. After the first failure operations
// are skipped, but their timelines still advance, so that nobody hangs waiting for this device.
class LaneEngine {
 public:
  struct Hooks {
    // Queues the operation's work on the lane's stream; what it returns is passed to `finish`.
    std::function<void*(const convoy_submission&)> execute;
    // When the operation's work is done and before its timeline advances. Null: it was given up,
    // and the host may have freed the submission. Must not throw.
    std::function<void(const convoy_submission*, void* token)> finish;
    // Optional: throws when something that events do not show has failed. Asked about all that is
    // under way, and again before it counts as done.
    std::function<void()> check = {};
  };

  LaneEngine(StreamDriver& driver, std::shared_ptr<EventLedger> ledger, Hooks hooks);
  ~LaneEngine();  // waits for submitted work
  LaneEngine(const LaneEngine&) = delete;
  LaneEngine& operator=(const LaneEngine&) = delete;

  void submit(const convoy_submission& submission);
  // Whether the point was reached within so many seconds; throws the first failure.
  bool wait(const convoy_wait& point, double seconds);

 private:
  struct InFlight {
    const convoy_submission* submission = nullptr;
    std::uint64_t* timeline = nullptr;
    std::uint64_t value = 0;
    void* token = nullptr;
    StreamDriver::Event start = nullptr;  // null: no time wanted
    StreamDriver::Event end = nullptr;    // null: nothing was queued
  };
  using Queue = std::deque<const convoy_submission*>;

  void launch_loop();
  const convoy_submission* take_ready();
  bool is_ready(const convoy_submission& submission);
  void launch(const convoy_submission& submission);
  void queue_work(InFlight& item);
  void watch_loop();
  bool finish_reached();
  bool has_ended(const InFlight& item);
  void finish(InFlight& item);
  void fail(const std::exception_ptr& error);
  bool is_idle();

  StreamDriver& driver_;
  std::shared_ptr<EventLedger> ledger_;
  Hooks hooks_;
  std::mutex mutex_;  // of what follows
  std::array<Queue, kLanes> waiting_;
  std::array<std::deque<InFlight>, kLanes> in_flight_;
  std::uint64_t open_ = 0;  // submitted and not finished
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> closing_{false};
  std::thread launcher_;
  std::thread watcher_;
};

}  // namespace convoy::cuda
