#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

// Returns a number with its noun: "1 device", "8 devices".
std::string counted(std::integral auto count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The first items of a list, at most `most` of them, and " and 7 more" if there are more.
inline std::string joined_some(std::span<const std::string> items, std::size_t most,
                               std::string_view separator) {
  const std::string text =
      fmt::format("{}", fmt::join(items.first(std::min(items.size(), most)), separator));
  return items.size() <= most ? text : fmt::format("{} and {} more", text, items.size() - most);
}

}  // namespace convoy
