#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace convoy {

// Returns the number that the whole text is, in any locale; nothing if it is something else or out
// of the type's range. Whole numbers may have digits of another base.
template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::integral<Number>)
    read = std::from_chars(text.data(), end, number, base);
  else
    read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

// Returns the whole number that the text is, in decimal digits. One out of the type's range becomes
// the nearest in it, so that it is refused as a number, not taken for a name.
template <std::integral Number>
std::optional<Number> parse_nearest_number(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return text.starts_with('-') ? std::numeric_limits<Number>::min()
                                 : std::numeric_limits<Number>::max();
  return number;
}

}  // namespace convoy
