#pragma once

#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy::plan {

// Whether a host takes part in a lowered operation: one of its places runs it or holds one of its
// spans. A transfer over the network has two such hosts, a collective of devices may have more.
bool has_end_at(const Plan& lowered, const Operation& operation, std::uint32_t host);

// One host's end of an operation in a network lane: its peer, and whether it sends.
struct NetworkEnd {
  std::uint32_t peer = 0;  // host
  bool sends = false;
};
NetworkEnd network_end(const Plan& lowered, const Operation& operation, std::uint32_t host);

// One host's part of a lowered body. `submission`, `phase_end`, lanes and waits contain only its
// operations; the ScheduledOperation of any other operation has the lane CONVOY_NONE. In a network
// lane, the host has the end that it sends or receives. Every wait is for an operation of this
// host: an operation that overwrites the source of a send waits for the send, and one that reads
// the target of a receive waits for the receive. Dependencies between operations of other hosts are
// left to these hosts. No wait is treated as implied by operations of other hosts, because a send
// may be done before its receiver expects it.
//
// In a collective over several hosts, each host has the part of its own devices.
//
// No set of hosts can deadlock. All hosts use the order of `whole`, which respects every
// dependency, and each lane keeps it at both ends. So all ends of the first unfinished operation
// in that order have no open waits and are the heads of their lanes.
Schedule local_schedule(const Plan& lowered, const DependencyLists& dependencies,
                        const Schedule& whole, std::uint32_t host);

// Adds to every operation of the whole schedule the waits that its hosts have for it.
void add_local_waits(const Plan& lowered, const DependencyLists& dependencies, Schedule& whole);

}  // namespace convoy::plan
