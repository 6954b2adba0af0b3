#pragma once

#include <convoy/abi/submission.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/plan/schedule/schedule.hpp"
#include "core/runtime/asynchronous/staleness.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/timeline.hpp"

namespace convoy::runtime {

// Passes operations from the strands of this host to device lanes where strands meet: in the lane
// itself, or in memory that several of them update. It submits an operation only when it can run at
// once, so that no strand waits behind another one in a lane. Relaxed reads and updates in any
// order lock their ranges, first come, first served, so that no strand reads a partial update.
// Layers that compute on relaxed parameters do not lock them, because they would hold the lock for
// their whole run time.
//
// Used by the thread that submits steps. Operations move only in pump(), which it calls meanwhile.
class StrandGate {
 public:
  StrandGate(const plan::Plan& lowered, const plan::Schedule& local, const Engines& engines,
             PlanMemory& memory, std::shared_ptr<std::vector<Timeline>> timelines);

  // Whether any operation of this host goes through the gate.
  bool is_needed() const;
  // Whether operations of this lane of the schedule go through it.
  bool holds_back(std::uint32_t lane) const { return lanes_[lane].is_gated; }
  // Queues an operation of the body, which goes to its device once its waits hold and its ranges
  // are free. It stays until its timeline has reached its value.
  void submit(std::uint32_t operation, convoy_submission& submission);
  // Submits the operations that may start and returns whether there were any. Throws errors of
  // devices.
  bool pump();
  // The same without an Error: if a device fails, the gate closes.
  void pump_or_close() noexcept;
  // From now on queued operations end without running; see pump().
  void close() { is_closed_ = true; }
  StalenessMeter& staleness() { return staleness_; }

 private:
  struct Queued {
    std::uint32_t operation = 0;
    convoy_submission* submission = nullptr;
  };
  struct GatedLane {
    bool is_gated = false;
    plugin::OpenDevice* engine = nullptr;
    std::uint32_t kind = 0;    // device_lane()
    std::uint64_t handed = 0;  // the value of the last operation that the device has
    bool last_locks = false;   // whether that operation has locked its ranges
    std::deque<Queued> queue;
  };
  // An operation that runs, or is about to run, on memory that others may need.
  struct Lock {
    std::uint32_t operation = 0;
    std::uint32_t lane = 0;
    convoy_wait done{};
  };

  bool locks(std::uint32_t operation) const;
  bool is_ready(std::uint32_t lane, const Queued& next) const;
  bool conflict(const plan::Operation& a, const plan::Operation& b) const;
  bool same_queue(std::uint32_t a, std::uint32_t b) const;
  bool pump(std::uint32_t lane);
  void hand_over(std::uint32_t lane);
  void drop_queued();

  const plan::Plan& plan_;
  const plan::Schedule& schedule_;
  PlanMemory& memory_;
  std::shared_ptr<std::vector<Timeline>> timelines_;
  std::vector<GatedLane> lanes_;  // per lane of the schedule
  std::vector<Lock> locks_;
  std::uint32_t turn_ = 0;  // the lane that is asked first
  bool is_closed_ = false;
  StalenessMeter staleness_;
};

}  // namespace convoy::runtime
