#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/check/recurrence/recurrence.hpp"

namespace convoy::plan::check {

// "every gradient counts once in the end, nothing is lost, first after 4 steps", for a recurrence
// that is right (kApproximate), of periods of so many computes.
std::string in_words(const Recurrence& it, std::uint64_t computes);

// "1 to ", where some updates are for fewer steps than others, in front of the most; else empty.
std::string fewest_steps(const std::vector<std::uint64_t>& uneven_updates);

}  // namespace convoy::plan::check
