#pragma once

#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/priorities.hpp"
#include "core/plan/schedule/strands.hpp"

namespace convoy {

// A queue of one engine. It runs its operations in order, every iteration the same. All that one
// host sends to another is one lane, whatever the places: the sender's end and the receiver's have
// the same operations in the same order. Every strand has lanes of its own, and
// between hosts, and on devices that can, every priority.
struct Lane {
  std::uint32_t place = 0;                // network lanes: of the first operation's target
  std::uint32_t lane = 0;                 // convoy_lane or kNetworkLane
  std::vector<std::uint32_t> operations;  // indices into the body
  std::uint32_t sender = CONVOY_NONE;     // hosts of a network lane
  std::uint32_t receiver = CONVOY_NONE;
  std::uint32_t strand = 0;
  std::uint32_t priority = 0;
};

// "Operation at `position` of lane `lane`, `distance` iterations ago, is done." Of a lane of
// another strand: in that strand's own iteration of so much smaller a number.
struct LaneWait {
  std::uint32_t lane = 0;
  std::uint32_t position = 0;
  std::uint32_t distance = 0;
};

struct ScheduledOperation {
  std::uint32_t lane = 0;       // index into Schedule::lanes
  std::uint32_t position = 0;   // in that lane
  std::uint32_t urgency = 0;    // smaller first, among lanes of one engine
  std::vector<LaneWait> waits;  // only those that nothing else implies
};

// How a lowered body runs: lanes in the order of earliest need, and the waits between them.
// `submission` is an order in which everything may be queued, one phase after the other.
struct Schedule {
  std::vector<Lane> lanes;
  std::vector<ScheduledOperation> operations;  // one per operation of the body
  std::vector<std::uint32_t> submission;
  std::vector<std::uint32_t> phase_end;  // submission[0, phase_end[p]) are the phases up to p
  Strands strands;
  Priorities priorities;
};

// The part of `submission` and `phase_end` that is one strand's.
struct StrandOrder {
  std::vector<std::uint32_t> submission;
  std::vector<std::uint32_t> phase_end;
};
StrandOrder order_of(const Plan& lowered, const Schedule& schedule, std::uint32_t strand);

// Whether any strand waits for another, as relaxed reads with a bound do.
bool strands_wait(const Schedule& schedule);

// Lanes and positions of the operations in `submission`, from that order, their strands and
// priorities.
void fill_lanes(const Plan& lowered, Schedule& schedule);

// Program order is not queue order: in every lane, operations come in the order in which they
// become ready (how far compute has to be), then of their priority, then in which compute needs
// their result; what a collective became keeps its order, so that rings go on step by step. Lanes
// of higher priority are more urgent, so that they overtake others. The order is the same for all
// engines, so collectives cannot cross, nor what hosts send each other. On several hosts every wait
// is one between operations that share a host, see local_schedule().
Schedule make_schedule(const Plan& lowered);

// The same without the waits, for callers that have the dependencies and keep count of them all:
// costs n log n operations where finding the necessary waits costs lanes times operations.
Schedule order_lanes(const Plan& lowered, const DependencyLists& dependencies);

}  // namespace convoy
