#pragma once

#include <cstdint>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Whether devices of several hosts run this operation of a lowered plan together. Such an operation
// is a collective that was left to devices, with spans on several hosts.
bool spans_hosts(const Plan& lowered, const Operation& operation);

// Returns the place whose engine gets the host's part of an operation. For all collectives over
// several hosts, this is the first device of the host, whether it takes part or not. So they are in
// one lane and have the same order on all hosts, and none waits for another in a cycle. For any
// other operation, it is the operation's own place.
std::uint32_t place_on_host(const Plan& lowered, const Operation& operation, std::uint32_t host);

}  // namespace convoy::plan
