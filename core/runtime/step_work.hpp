#pragma once

#include <convoy/abi.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/runtime/memory.hpp"
#include "core/runtime/timeline.hpp"

namespace convoy::runtime {

class CollectiveGroups;
class DeviceKernels;
class NetworkEngine;
class StrandGate;

using LaneTimelines = std::vector<Timeline>;  // per lane of a schedule

// The inputs of the executor besides the schedule. The objects behind the pointers must outlive it.
struct ExecutorParts {
  const plan::Plan* plan = nullptr;  // lowered
  const plan::Schedule* schedule = nullptr;
  const Engines* engines = nullptr;  // per place; null for places of other hosts
  // On several hosts: this host's number and the engine of its network lanes. The schedule is this
  // host's part, see local_schedule().
  std::uint32_t host = 0;
  NetworkEngine* network = nullptr;
  // For a plan with several strands: the strand to run, and the timelines that all strands share.
  // CONVOY_NONE: the whole schedule.
  std::uint32_t strand = CONVOY_NONE;
  std::shared_ptr<LaneTimelines> timelines;  // null: its own
  StrandGate* gate = nullptr;                // null if nothing needs one
  // For collectives over several hosts. Null if there are none.
  CollectiveGroups* groups = nullptr;
  PlanMemory* memory = nullptr;
  const convoy_optimizer* optimizer = nullptr;
  std::vector<void*> programs;              // per replica, compiled on its device; null for other
                                            // hosts' replicas
  std::vector<convoy_decay_range> decayed;  // arena ranges with weight decay, ascending
  std::function<plan::HostKernel(const std::string&)> kernel;  // for CALL operations
  const DeviceKernels* device_kernels = nullptr;               // likewise; null if there are none
  const plugin::PluginSettings* author = nullptr;              // settings of the kernels' plug-in;
                                                               // null if there are none
};

// One operation in one iteration slot, with everything its submission points to.
struct StepWork {
  convoy_submission submission{};
  convoy_compute compute{};
  convoy_timing timing{};
  double square_sum = 0;
  double result = 0;
  std::vector<convoy_wait> waits;
  std::vector<convoy_region> reads;
  std::vector<convoy_region> writes;
  std::vector<std::uint32_t> ranks;  // for a collective over several hosts: per read and write
  std::vector<convoy_update> updates;
  std::vector<const convoy_update*> update_pointers;  // one per write of an update, one for a norm
  std::vector<convoy_decay_range> decayed;
};

// The data of one iteration. Iterations use the slots in turn.
struct StepSlot {
  std::vector<StepWork> work;                                   // in the order of submission
  std::vector<std::vector<double>> losses;                      // [phase][replica]
  std::vector<std::vector<std::array<std::uint64_t, 2>>> hits;  // likewise
};

// All data that devices may read or write until the queued operations have run.
struct QueuedState {
  convoy_optimizer optimizer{};
  std::vector<std::unique_ptr<StepSlot>> slots;
  std::shared_ptr<LaneTimelines> timelines;
  std::vector<std::unique_ptr<StepWork>> prologue;
  Timeline prologue_timeline;
};

// Returns the device's number of the lane: one of convoy_lane, for its priority.
std::uint32_t device_lane(const plan::Lane& lane);

// Fills in the constant part of an operation's submission. `work` must stay where it is. Error
// kFailed when the strategy has no host function for a kernel that the plan calls.
void build_work(const ExecutorParts& parts, const plan::Operation& operation,
                const convoy_optimizer& optimizer, StepWork& work);

// Sets the step of an update to the number of updates that its elements have had. Call it for
// operations in the order in which devices get them.
void number_update(const plan::Operation& operation, PlanMemory& memory,
                   convoy_submission& submission);

// Builds a slot with the submissions of a body in that order. Only the values that differ from step
// to step are missing.
std::unique_ptr<StepSlot> build_slot(const ExecutorParts& parts, const plan::StrandOrder& order,
                                     const std::vector<bool>& wants_square_sum, QueuedState& state);

}  // namespace convoy::runtime
