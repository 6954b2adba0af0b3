#pragma once

#include <cstdint>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Whether devices of several hosts run this operation of a lowered plan together: a collective that
// was left to devices, with spans on several hosts.
bool spans_hosts(const Plan& lowered, const Operation& operation);

// The place whose engine gets the host's part of an operation. Of all collectives over several
// hosts it is the first device of the host, whether it takes part or not: in one lane, they have
// the same order on all hosts, so that none waits for another in a cycle. Of anything else it is
// the operation's own.
std::uint32_t place_on_host(const Plan& lowered, const Operation& operation, std::uint32_t host);

}  // namespace convoy::plan
