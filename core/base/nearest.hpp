#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Letters to insert, delete or replace to get from one text to the other (Levenshtein).
std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidates that a misspelled name probably meant, the best first, at most three. Empty when
// nothing is close.
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace convoy
