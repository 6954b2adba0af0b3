#pragma once

#include <convoy/abi/submission.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/plan/schedule/schedule.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/staleness.hpp"
#include "core/runtime/timeline.hpp"

namespace convoy {

// Stands between the strands of this host and the lanes of devices that several of them use, or
// where they meet at memory that anyone may update. What a device gets from here may run at once,
// so that no strand waits behind another in a lane. Relaxed reads and updates in any order lock the
// ranges that they touch: first come, first served, and no strand reads what is half updated.
// Layers that compute on relaxed parameters do not lock them: they read for as long as they run.
//
// Used by the thread that submits steps. Operations move only in pump(), which it calls meanwhile.
class StrandGate {
 public:
  StrandGate(const Plan& lowered, const Schedule& local, const Engines& engines,
             std::shared_ptr<std::vector<Timeline>> timelines);

  // Whether anything here has to go through the gate.
  bool is_needed() const;
  // Whether operations of this lane of the schedule go through it.
  bool holds_back(std::uint32_t lane) const { return lanes_[lane].is_gated; }
  // Queues an operation of the body, which goes to its device once its waits hold and its ranges
  // are free. It stays until its timeline has reached its value.
  void submit(std::uint32_t operation, const convoy_submission& submission);
  // Hands over what may start. Whether there was anything. Error as the devices have it.
  bool pump();
  // The same without an Error: where a device fails, the gate closes.
  void pump_or_close() noexcept;
  // From now on everything that is queued ends without having run; see pump().
  void close() { is_closed_ = true; }
  StalenessMeter& staleness() { return staleness_; }

 private:
  struct Queued {
    std::uint32_t operation = 0;
    const convoy_submission* submission = nullptr;
  };
  struct GatedLane {
    bool is_gated = false;
    OpenDevice* engine = nullptr;
    std::uint32_t kind = 0;    // device_lane()
    std::uint64_t handed = 0;  // the value of the last operation that the device has
    bool last_locks = false;   // it has locked its ranges
    std::deque<Queued> queue;
  };
  // What runs, or is about to, on memory that others may want.
  struct Lock {
    std::uint32_t operation = 0;
    std::uint32_t lane = 0;
    convoy_wait done{};
  };

  bool locks(std::uint32_t operation) const;
  bool is_ready(std::uint32_t lane, const Queued& next) const;
  bool conflict(const Operation& a, const Operation& b) const;
  bool same_queue(std::uint32_t a, std::uint32_t b) const;
  bool pump(std::uint32_t lane);
  void hand_over(std::uint32_t lane);
  void drop_queued();

  const Plan& plan_;
  const Schedule& schedule_;
  std::shared_ptr<std::vector<Timeline>> timelines_;
  std::vector<GatedLane> lanes_;  // per lane of the schedule
  std::vector<Lock> locks_;
  std::uint32_t turn_ = 0;  // which lane is asked first
  bool is_closed_ = false;
  StalenessMeter staleness_;
};

}  // namespace convoy
