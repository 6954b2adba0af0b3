#pragma once

#include <charconv>
#include <concepts>
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

}  // namespace convoy
