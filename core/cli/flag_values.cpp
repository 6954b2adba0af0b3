#include "core/cli/flag_values.hpp"

#include <charconv>

#include "core/base/error.hpp"

namespace convoy {
namespace {

template <typename Number>
Number parse(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CONVOY_CHECK(error == std::errc{} && end == text.data() + text.size());
  return value;
}

}  // namespace

const FlagValues::Value* FlagValues::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::string> FlagValues::optional_text(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(value->text);
}

std::optional<bool> FlagValues::optional_boolean(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(value->text == "true");
}

std::optional<std::int64_t> FlagValues::optional_integer(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(parse<std::int64_t>(value->text));
}

std::optional<double> FlagValues::optional_number(std::string_view name) const {
  const Value* value = find(name);
  return value == nullptr ? std::nullopt : std::optional(parse<double>(value->text));
}

const std::string& FlagValues::text(std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) {
    detail::check_failed("flag has a value", __FILE__, __LINE__, std::string(name));
  }
  return value->text;
}

bool FlagValues::boolean(std::string_view name) const {
  return text(name) == "true";
}

std::int64_t FlagValues::integer(std::string_view name) const {
  return parse<std::int64_t>(text(name));
}

double FlagValues::number(std::string_view name) const {
  return parse<double>(text(name));
}

bool FlagValues::given(std::string_view name) const {
  const Value* value = find(name);
  return value != nullptr && value->given;
}

std::map<std::string, std::string> FlagValues::effective() const {
  std::map<std::string, std::string> result;
  for (const auto& [name, value] : values_) result.emplace(name, value.text);
  return result;
}

void FlagValues::set_default(const std::string& name, std::string value) {
  values_[name] = {std::move(value), false};
}

void FlagValues::set_given(const std::string& name, std::string value) {
  values_[name] = {std::move(value), true};
}

}  // namespace convoy
