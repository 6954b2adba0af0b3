#pragma once

#include <convoy/abi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "plugins/devices/cuda/graphs/run_replayer.hpp"
#include "plugins/devices/cuda/graphs/step_patterns.hpp"
#include "plugins/devices/cuda/lanes/event_ledger.hpp"

namespace convoy::cuda {

inline constexpr std::size_t kLanes = 5;
// One more stream, numbered after the lanes, on which batches of images are copied.
inline constexpr std::uint32_t kInputStream = kLanes;
inline constexpr std::size_t kStreams = kLanes + 1;

// The functions of streams and events that the engine needs. They throw when the device has failed.
class StreamDriver {
 public:
  using Event = EventLedger::Event;

  virtual ~StreamDriver() = default;
  virtual void begin_thread() = 0;               // called first on every thread of the engine
  virtual Event record(std::uint32_t lane) = 0;  // on a lane or kInputStream, here and below
  virtual void wait(std::uint32_t lane, Event event) = 0;
  virtual bool reached(Event event) = 0;
  virtual double time(
      Event event) = 0;  // time of a reached event, on the clock of now(), in seconds
  // Returns the time of a mark in a graph whose launch is done (GraphDriver); empty: unknown.
  virtual std::optional<double> marked_time(Event mark) = 0;
  virtual void give_back(Event event) = 0;
};

// The lanes of one device as streams. A thread queues each operation on its lane's stream as soon
// as everything that it waits for is queued somewhere; the device itself does the waiting. Another
// thread watches the events and advances timelines. After the first failure, operations are
// skipped, but their timelines still advance, so that no other device hangs.
class LaneEngine {
 public:
  struct Hooks {
    // Queues the operation's work on the lane's stream. The result is passed to `finish`.
    std::function<void*(const convoy_submission&)> execute;
    // Called when the operation's work is done and before its timeline advances. Null: the
    // operation was given up, and the host may have freed the submission. Must not throw.
    std::function<void(const convoy_submission*, void* token)> finish;
    // Optional: throws when something that events do not show has failed. It is called for all
    // running operations, and again before each counts as done.
    std::function<void()> check = {};
    // Optional: launches the runs of operations that StepPatterns finds. It outlives the engine.
    RunReplayer* runs = nullptr;
  };

  LaneEngine(StreamDriver& driver, std::shared_ptr<EventLedger> ledger, Hooks hooks);
  ~LaneEngine();  // waits for submitted work
  LaneEngine(const LaneEngine&) = delete;
  LaneEngine& operator=(const LaneEngine&) = delete;

  void submit(const convoy_submission& submission);
  // Returns whether the point was reached within `seconds`; throws the first failure.
  bool wait(const convoy_wait& point, double seconds);

 private:
  // The launch of a run. After take_off(), it belongs to the watching thread.
  struct Flight {
    std::shared_ptr<ReplayedRun> run;
    StreamDriver::Event start = nullptr;
    StreamDriver::Event end = nullptr;  // null: nothing was queued
    bool ended = false;
    std::vector<convoy_timing> times;
    std::size_t open = 0;  // operations that are not finished
  };
  struct InFlight {
    const convoy_submission* submission = nullptr;
    std::uint64_t* timeline = nullptr;
    std::uint64_t value = 0;
    void* token = nullptr;
    StreamDriver::Event start = nullptr;  // null: no time wanted
    StreamDriver::Event end = nullptr;    // null: nothing was queued
    std::shared_ptr<Flight> flight = {};  // of a run; replaces token, start and end
    std::size_t place = 0;                // index in the run
    bool ends_timeline = false;           // no later operation of the run has this timeline
  };
  struct Waiting {
    const convoy_submission* submission;
    std::shared_ptr<OperationRun> run;  // the run that it is part of; null: none
  };
  // Something that can be launched: an operation, or a run.
  struct Unit {
    const convoy_submission* submission = nullptr;  // for a run: the first one; null: there is none
    std::shared_ptr<OperationRun> run;
    bool complete = true;  // the whole run was submitted
  };

  void launch_loop();
  Unit take_ready();
  std::vector<Unit> heads();
  void take(const Unit& unit);
  bool is_ready(const Unit& unit);
  bool know(const convoy_wait* waits, std::size_t count);
  void hold(const OperationRun& run);
  void launch(const convoy_submission& submission);
  void queue_work(InFlight& item);
  void launch_run(const OperationRun& run);
  bool queue_run(const OperationRun& run, Flight& flight);
  void launch_each(const OperationRun& run);
  void end_after_failure(const OperationRun& run, Flight& flight);
  void take_off(const OperationRun& run, const std::shared_ptr<Flight>& flight);
  void watch_loop();
  bool finish_reached();
  bool has_ended(const InFlight& item);
  void check();
  void land(Flight& flight);
  void finish(InFlight& item);
  void finish_in_flight(const InFlight& item);
  void fail(const std::exception_ptr& error);
  bool is_idle();

  StreamDriver& driver_;
  std::shared_ptr<EventLedger> ledger_;
  Hooks hooks_;
  std::mutex mutex_;  // guards the members below
  std::array<std::deque<Waiting>, kLanes> waiting_;
  std::unique_ptr<StepPatterns> patterns_;  // null: nothing is launched as a run
  std::array<std::deque<InFlight>, kLanes> in_flight_;
  std::uint64_t open_ = 0;  // submitted and not finished
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> closing_{false};
  // For the launching thread: since when a run that is not ready has been held back.
  std::map<const OperationRun*, std::chrono::steady_clock::time_point> held_;
  std::thread launcher_;
  std::thread watcher_;
};

}  // namespace convoy::cuda
