#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Helpers for the small text formats of /proc and /sys.

std::vector<std::string> lines_of(std::string_view text);
// Splits at any white space.
std::vector<std::string> words_of(std::string_view text);
// Returns the value after `key` and a separator (':' or '=') on a line of its own, without quotes.
std::optional<std::string> value_of(std::string_view text, std::string_view key, char separator);
// Returns the whole number at the beginning of a text.
std::optional<std::uint64_t> leading_number(std::string_view text);
// Returns how many numbers a list such as "0-3,8" has; empty if the text is not a list.
std::optional<std::uint64_t> list_size(std::string_view list);
// Returns the numbers of such a list. Empty for other texts, and for lists that are too long for
// any machine.
std::vector<unsigned> numbers_of_list(std::string_view list);
// Returns a text such as "15.6 GiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace convoy
