#include "core/base/text/json.hpp"

#include <fmt/format.h>

#include <istream>
#include <iterator>

namespace convoy {
namespace {

template <typename Json>
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Refuses texts that are nested too deeply. The library prints and copies values by recursion, so a
// hostile text would overflow the stack.
void require_shallow(std::string_view text) {
  constexpr std::size_t kDeepest = 200;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if ((c == ']' || c == '}') && depth > 0) --depth;
    if ((c == '[' || c == '{') && ++depth > kDeepest)
      throw nlohmann::json::parse_error::create(
          101, i + 1, fmt::format("nested more than {} levels deep", kDeepest), nullptr);
  }
}

template <typename Json>
Json parsed(std::string_view text) {
  require_shallow(text);
  return Json::parse(text);
}

template <typename Json>
std::optional<std::uint64_t> count_of(const Json& value, std::uint64_t most) {
  // A number that was parsed is unsigned if possible; a number that a program stored need not be.
  if (!value.is_number_integer()) return std::nullopt;
  if (!value.is_number_unsigned() && value.template get<std::int64_t>() < 0) return std::nullopt;
  const auto count = value.template get<std::uint64_t>();
  return count <= most ? std::optional(count) : std::nullopt;
}

std::string rest_of(std::istream& text) {
  return {std::istreambuf_iterator<char>(text), {}};
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  return parsed<nlohmann::json>(text);
}

nlohmann::json parse_json(std::istream& text) {
  return parse_json(rest_of(text));
}

nlohmann::json parse_json(std::istream&& text) {
  return parse_json(text);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return parsed<nlohmann::ordered_json>(text);
}

nlohmann::ordered_json parse_ordered_json(std::istream& text) {
  return parse_ordered_json(rest_of(text));
}

std::string json_text(const nlohmann::json& value, int indent) {
  return text_of(value, indent);
}

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  return text_of(value, indent);
}

std::string json_problem(const nlohmann::json::exception& error) {
  const std::string_view text = error.what();  // "[json.exception.parse_error.101] parse error at"
  const std::size_t name = text.starts_with('[') ? text.find("] ") : std::string_view::npos;
  return std::string(name == std::string_view::npos ? text : text.substr(name + 2));
}

std::optional<std::uint64_t> json_count(const nlohmann::json& value, std::uint64_t most) {
  return count_of(value, most);
}

std::optional<std::uint64_t> json_count(const nlohmann::ordered_json& value, std::uint64_t most) {
  return count_of(value, most);
}

}  // namespace convoy
