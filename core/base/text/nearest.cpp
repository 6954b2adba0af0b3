#include "core/base/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace convoy {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Only three rows of the distance table are kept.
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  std::vector<std::size_t> above(row.size());
  std::vector<std::size_t> above_that(row.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::swap(above_that, above);
    std::swap(above, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = above[j] + (from[i] == to[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, above[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j])
        row[j + 1] = std::min(row[j + 1], above_that[j - 1] + 1);
    }
  }
  return row.back();
}

std::size_t most_edits(std::string_view name) {
  constexpr std::size_t kShortest = 2;  // a single letter is similar to every other
  return name.size() < kShortest ? 0 : std::max<std::size_t>(1, name.size() / 3);
}

std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates) {
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : candidates) {
    const bool contains = name.size() >= 3 && candidate.find(name) != std::string::npos;
    const std::size_t distance = edit_distance(name, candidate);
    if (contains || distance <= most_edits(name)) ranked.emplace_back(distance, candidate);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> names;
  for (auto& [distance, candidate] : ranked) {
    if (names.size() < 3) names.push_back(std::move(candidate));
  }
  return names;
}

}  // namespace convoy
