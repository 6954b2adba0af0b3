#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Returns how many letters must be inserted, deleted, replaced or swapped with the next one to turn
// one text into the other (optimal string alignment).
std::size_t edit_distance(std::string_view from, std::string_view to);

// Returns the most edits between a misspelled name and the name that was meant: a third of its
// letters. A short name allows only one edit, because two turn it into almost any other.
std::size_t most_edits(std::string_view name);

// Returns the candidates that a misspelled name probably means: at most three, the best first.
// Empty if none is close.
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates);

}  // namespace convoy
