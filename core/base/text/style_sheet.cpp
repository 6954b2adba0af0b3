#include "core/base/text/style_sheet.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "core/base/error.hpp"

namespace convoy {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kDark = "@media (prefers-color-scheme: dark)";

// Returns the text between the next two braces and moves `sheet` behind the second.
std::string_view next_block(std::string_view& sheet) {
  const std::size_t begin = sheet.find('{');
  const std::size_t end = sheet.find('}');
  CONVOY_CHECK(begin < end && end != std::string_view::npos);
  const std::string_view block = sheet.substr(begin + 1, end - begin - 1);
  sheet.remove_prefix(end + 1);
  return block;
}

void read_values(std::string_view block, Values& values) {
  for (std::size_t at = 0; (at = block.find("--", at)) != std::string_view::npos;) {
    const std::size_t colon = block.find(':', at);
    const std::size_t end = block.find(';', at);
    CONVOY_CHECK(colon < end && end != std::string_view::npos);
    const std::size_t value = block.find_first_not_of(' ', colon + 1);
    values[std::string(block.substr(at, colon - at))] = block.substr(value, end - value);
    at = end;
  }
}

std::string filled_in(std::string_view rules, const Values& values) {
  constexpr std::string_view kUse = "var(";
  std::string text;
  for (std::size_t use; (use = rules.find(kUse)) != std::string_view::npos;) {
    const std::size_t end = rules.find(')', use);
    CONVOY_CHECK(end != std::string_view::npos);
    text += rules.substr(0, use);
    text += values.at(std::string(rules.substr(use + kUse.size(), end - use - kUse.size())));
    rules.remove_prefix(end + 1);
  }
  return text.append(rules);
}

}  // namespace

std::string without_variables(std::string_view sheet) {
  Values values;
  read_values(next_block(sheet), values);
  std::string_view rules = sheet.substr(sheet.find(kDark) + kDark.size());
  rules.remove_prefix(rules.find('{') + 1);
  Values dark = values;
  read_values(next_block(rules), dark);
  rules.remove_prefix(rules.find('}') + 1);
  return fmt::format("{}\n{} {{{}}}\n", filled_in(rules, values), kDark, filled_in(rules, dark));
}

}  // namespace convoy
