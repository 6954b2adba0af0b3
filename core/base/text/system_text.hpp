#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// Helpers for the small text formats of /proc and /sys.

std::vector<std::string> lines_of(std::string_view text);
// Separated by any white space.
std::vector<std::string> words_of(std::string_view text);
// The value after "key" and a separator (':' or '=') on a line of its own, without quotes.
std::optional<std::string> value_of(std::string_view text, std::string_view key, char separator);
// The leading whole number of a text.
std::optional<std::uint64_t> leading_number(std::string_view text);
// How many numbers a list such as "0-3,8" has; nothing for a list that is none.
std::optional<std::uint64_t> list_size(std::string_view list);
// Its numbers. Empty for other texts, and for lists that are too long for any machine.
std::vector<unsigned> numbers_of_list(std::string_view list);
// "15.6 GiB".
std::string bytes_text(std::uint64_t bytes);

}  // namespace convoy
