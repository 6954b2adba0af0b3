#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::check {

// What every step leaves of the way from where the period began, where steps pull parameters back
// (FedProx; Li et al., 2020): so each gradient counts less than the next one by this factor, and
// the last one once, or by the factor less. `counts` are in the field, by compute; none where they
// do not look so.
std::optional<double> pulled_back(const std::vector<std::uint64_t>& counts);

}  // namespace convoy::check
