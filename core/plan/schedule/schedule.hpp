#pragma once

#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/priorities.hpp"
#include "core/plan/schedule/strands.hpp"

namespace convoy::plan {

// A queue of one engine. It runs its operations in the same order in every iteration. All messages
// from one host to another are in one lane, whatever their places; the sender's and the receiver's
// end have the same operations in the same order. Every strand has its own lanes. Between hosts,
// and on devices with lanes per priority, every priority has its own lanes, too.
struct Lane {
  std::uint32_t place = 0;                // for network lanes: the place of the first operation's
                                          // target
  std::uint32_t lane = 0;                 // convoy_lane or kNetworkLane
  std::vector<std::uint32_t> operations;  // indices into the body
  std::uint32_t sender = CONVOY_NONE;     // the hosts of a network lane
  std::uint32_t receiver = CONVOY_NONE;
  std::uint32_t strand = 0;
  std::uint32_t priority = 0;
};

// "The operation at `position` of lane `lane`, `distance` iterations ago, is done." For a lane of
// another strand: in that strand's iteration whose number is smaller by `distance`.
struct LaneWait {
  std::uint32_t lane = 0;
  std::uint32_t position = 0;
  std::uint32_t distance = 0;
};

struct ScheduledOperation {
  std::uint32_t lane = 0;       // index into Schedule::lanes
  std::uint32_t position = 0;   // the index in that lane
  std::uint32_t urgency = 0;    // smaller first, among lanes of one engine
  std::vector<LaneWait> waits;  // without waits that others imply
};

// How a lowered body runs: the lanes, with their operations in the order of earliest need, and the
// waits between them. All operations may be queued in the order of `submission`, one phase after
// the other.
struct Schedule {
  std::vector<Lane> lanes;
  std::vector<ScheduledOperation> operations;  // one per operation of the body
  std::vector<std::uint32_t> submission;
  std::vector<std::uint32_t> phase_end;  // submission[0, phase_end[p]) are the phases up to p
  Strands strands;
  Priorities priorities;
};

// One strand's part of `submission` and `phase_end`.
struct StrandOrder {
  std::vector<std::uint32_t> submission;
  std::vector<std::uint32_t> phase_end;
};
StrandOrder order_of(const Plan& lowered, const Schedule& schedule, std::uint32_t strand);

// Whether any strand waits for another, as relaxed reads with a bound do.
bool strands_wait(const Schedule& schedule);

// Computes the lanes and positions of the operations from the order of `submission`, their strands
// and their priorities. `host` is the host of the schedule: all collectives over several hosts are
// in one lane, see place_on_host().
void fill_lanes(const Plan& lowered, Schedule& schedule, std::uint32_t host);

// The queue order differs from program order. In every lane, operations are sorted by when they
// become ready (how far compute must be), then by priority, then by when compute needs their
// result, then updates behind the rest. The parts of one collective keep their order, so that rings
// advance step by step. Lanes of higher priority are more urgent, so that they overtake others. All
// engines use the same order, so neither collectives nor messages between hosts can cross. On
// several hosts every wait is between operations that share a host, see local_schedule().
Schedule make_schedule(const Plan& lowered);

// The same without the waits, for callers that track all dependencies themselves. It costs n log n,
// while finding the necessary waits costs lanes times operations.
Schedule order_lanes(const Plan& lowered, const DependencyLists& dependencies);

}  // namespace convoy::plan
