#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// The candidates that a misspelled name probably meant, the best first, at most three. Empty when
// nothing is close.
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace convoy
