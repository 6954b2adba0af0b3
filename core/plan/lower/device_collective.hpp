#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/plan/schedule/schedule.hpp"

namespace convoy::plan {

// Returns the places that take part in a collective, in the order of its spans: the places of its
// writes, then the other places of its reads.
std::vector<std::uint32_t> participants(const Operation& collective, const Plan& plan);

// Whether devices with collectives of their own can run it as one operation: every participant is a
// device with at most one span to read and one to write, all required contributions exist, and the
// type is a floating-point type.
bool devices_can_run(const Operation& collective, const Plan& plan);

// A notice for the user if the logical plan has collectives for the devices, but these have no
// collectives of their own; otherwise empty.
std::string lowered_collectives_notice(const Plan& logical);

// Devices that take part in two collectives must run them in the same order; otherwise they could
// deadlock. Error kFailed names two operations of the body that have two devices in common, are in
// different lanes and may run in either order. On several hosts, call it with the schedule of each:
// the lanes of a collective differ from host to host.
void require_collective_order(const Plan& lowered, const Schedule& schedule);

}  // namespace convoy::plan
