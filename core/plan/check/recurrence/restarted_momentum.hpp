#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::check {

// The factor of a momentum v = factor v + g, or v = factor v + (1 - factor) g, that begins at zero
// in every period, if it makes the gradients of a period's computes count as often as this, from
// the first compute to the last one: earlier gradients stay in it for more updates. Also where
// Nesterov's g + factor v is applied. The counts are elements of the field.
std::optional<double> restarted_momentum(const std::vector<std::uint64_t>& counts);

}  // namespace convoy::check
