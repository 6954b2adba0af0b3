#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/check/recurrence/recurrence.hpp"

namespace convoy::plan::check {

// Returns "every gradient counts once in the end, nothing is lost, first after 4 steps", for a
// recurrence that is right (kApproximate). `computes` is the number of computes of a period.
std::string in_words(const Recurrence& it, std::uint64_t computes);

// Returns "1 to ", which precedes the largest number, if some updates are for fewer steps than
// others; else empty.
std::string fewest_steps(const std::vector<std::uint64_t>& uneven_updates);

}  // namespace convoy::plan::check
