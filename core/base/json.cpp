#include "core/base/json.hpp"

#include <istream>

namespace convoy {
namespace {

template <typename Json>
std::string text_of(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  return nlohmann::json::parse(text);
}

nlohmann::json parse_json(std::istream& text) {
  return nlohmann::json::parse(text);
}

nlohmann::json parse_json(std::istream&& text) {
  return parse_json(text);
}

nlohmann::ordered_json parse_ordered_json(std::istream& text) {
  return nlohmann::ordered_json::parse(text);
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

}  // namespace convoy
