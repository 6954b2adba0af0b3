#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

// Reads and writes JSON texts. The library's parser and printer are templates that every file
// calling them would compile for about a second, so only one file does.

// These throw nlohmann::json::parse_error, which says where the text is wrong, also if the text is
// nested deeper than any sensible one. Objects are sorted by key.
nlohmann::json parse_json(std::string_view text);
nlohmann::json parse_json(std::istream& text);
nlohmann::json parse_json(std::istream&& text);
// The same, but objects keep the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::istream& text);

// Returns the error's message without the library's name for the error.
std::string json_problem(const nlohmann::json::exception& error);

// Returns the value in lines, each level indented by `indent` blanks; in a single line if `indent`
// is negative. Texts from users and machines need not be UTF-8: other bytes become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

// Returns the value if it is a whole number from 0 to `most`; empty for anything else, even 2.0.
// (The library's get() casts any number, even one that the type cannot hold.)
std::optional<std::uint64_t> json_count(
    const nlohmann::json& value, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
std::optional<std::uint64_t> json_count(
    const nlohmann::ordered_json& value,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace convoy
