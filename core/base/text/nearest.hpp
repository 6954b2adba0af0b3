#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Letters to insert, delete, replace, or swap with the next one, to get from one text to the other
// (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to);

// How far a name may be from the one that it was meant to be: a third of its letters. Of a short
// name, more than one edit makes almost any other.
std::size_t most_edits(std::string_view name);

// The candidates that a misspelled name probably meant, the best first, at most three. Empty when
// nothing is close.
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace convoy
