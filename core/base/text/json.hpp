#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

// JSON texts, read and written in one file: the library's parser and its printer are templates that
// each file calling them would compile for about a second.

// Throw nlohmann::json::parse_error, which says where the text is wrong, also for a text that is
// nested deeper than anybody writes. Objects are sorted by key.
nlohmann::json parse_json(std::string_view text);
nlohmann::json parse_json(std::istream& text);
nlohmann::json parse_json(std::istream&& text);
// The same with objects in the order of the text.
nlohmann::ordered_json parse_ordered_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::istream& text);

// What such an error says, without the library's own name for it.
std::string json_problem(const nlohmann::json::exception& error);

// In lines, each level further in by `indent` blanks; in a single line when that is negative. What
// users and machines say about themselves need not be UTF-8: other bytes become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

// The whole number from 0 to `most` that a value is; none where it is anything else, be it 2.0.
// (The library's get() casts any number, and what the type cannot hold becomes whatever the cast
// gives.)
std::optional<std::uint64_t> json_count(
    const nlohmann::json& value, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
std::optional<std::uint64_t> json_count(
    const nlohmann::ordered_json& value,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace convoy
