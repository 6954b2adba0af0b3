#pragma once

#include <cstdint>

#include "core/plan/schedule/schedule.hpp"

namespace convoy::testing {

// Everything that a schedule says.
std::uint64_t schedule_hash(const plan::Schedule& schedule);

}  // namespace convoy::testing
