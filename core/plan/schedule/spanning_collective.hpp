#pragma once

#include <cstdint>

#include "core/plan/plan.hpp"

namespace convoy {

// Whether devices of several hosts run this operation of a lowered plan together: a collective that
// was left to devices, with spans on several hosts.
bool spans_hosts(const Plan& lowered, const Operation& operation);

// The place whose engine gets the host's part of an operation: of a collective over several hosts
// the lowest of its places there, of anything else the operation's own. CONVOY_NONE: a collective
// over several hosts has no place on this one.
std::uint32_t place_on_host(const Plan& lowered, const Operation& operation, std::uint32_t host);

}  // namespace convoy
