#pragma once

#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy {

// Whether a host has a part in a lowered operation: one of its places runs it or holds a span of
// it. What crosses the network has two such hosts.
bool has_end_at(const Plan& lowered, const Operation& operation, std::uint32_t host);

// One host's end of an operation in a network lane: whom it exchanges with, and whether it sends.
struct NetworkEnd {
  std::uint32_t peer = 0;  // host
  bool sends = false;
};
NetworkEnd network_end(const Plan& lowered, const Operation& operation, std::uint32_t host);

// What one host does of a lowered body: `submission`, `phase_end`, lanes and waits have its
// operations only, the ScheduledOperation of any other has the lane CONVOY_NONE. Of a network lane
// it has the end that it sends or receives. Every wait is for something of its own: what overwrites
// the source of a send waits until the send is done, what reads the target of a receive until the
// receive is done, and a dependency between operations of other hosts is theirs. Nothing is taken
// as implied by what happens elsewhere, for a send may be done before its receiver asked for it.
//
// No set of hosts can come to a standstill: all have the order of `whole`, which respects every
// dependency, and each lane keeps it at both ends. So the ends of the first unfinished operation in
// that order wait for nothing, are the heads of their lanes, and meet.
Schedule local_schedule(const Plan& lowered, const DependencyLists& dependencies,
                        const Schedule& whole, std::uint32_t host);

// Gives every operation of the whole schedule the waits that its hosts have for it.
void add_local_waits(const Plan& lowered, const DependencyLists& dependencies, Schedule& whole);

}  // namespace convoy
