#include <algorithm>
#include <charconv>

#include "core/cli/flag_parser.hpp"

namespace convoy {
namespace {

// Of a canonical value, which always parses.
template <typename Number>
Number parse_canonical(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  CONVOY_CHECK(error == std::errc() && end == text.data() + text.size());
  return value;
}

}  // namespace

ParsedFlags::ParsedFlags(const FlagTable& table) {
  for (const FlagDefinition& flag : table.flags()) {
    if (flag.alias_of.empty()) entries_[flag.name] = {flag, flag.default_value, {}};
  }
}

const ParsedFlags::Entry& ParsedFlags::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    detail::check_failed("the flag is in the table", __FILE__, __LINE__, std::string(name));
  }
  return found->second;
}

const std::string* ParsedFlags::value(std::string_view name,
                                      std::initializer_list<FlagType> types) const {
  const Entry& found = entry(name);
  CONVOY_CHECK(std::find(types.begin(), types.end(), found.flag.type) != types.end());
  return found.value ? &*found.value : nullptr;
}

bool ParsedFlags::is_given(std::string_view name) const {
  return !entry(name).source.empty();
}

std::optional<bool> ParsedFlags::optional_boolean(std::string_view name) const {
  const std::string* text = value(name, {FlagType::kBool});
  if (text == nullptr) return {};
  return *text == "true";
}

std::optional<std::int64_t> ParsedFlags::optional_integer(std::string_view name) const {
  const std::string* text = value(name, {FlagType::kInt});
  if (text == nullptr) return {};
  return parse_canonical<std::int64_t>(*text);
}

void ParsedFlags::fail_too_wide(std::string_view name, std::int64_t least,
                                std::uint64_t most) const {
  const Entry& found = entry(name);
  const std::string source =
      found.source.empty() ? fmt::format("--{}={}", name, *found.value) : found.source;
  fail(ExitCode::kUsage, "{}: it must be an integer from {} to {}", source, least, most);
}

std::optional<double> ParsedFlags::optional_number(std::string_view name) const {
  const std::string* text = value(name, {FlagType::kFloat, FlagType::kInt});
  if (text == nullptr) return {};
  return parse_canonical<double>(*text);
}

bool ParsedFlags::boolean(std::string_view name) const {
  return optional_boolean(name).value();
}
std::int64_t ParsedFlags::integer(std::string_view name) const {
  return optional_integer(name).value();
}
double ParsedFlags::number(std::string_view name) const {
  return optional_number(name).value();
}

std::string ParsedFlags::text(std::string_view name) const {
  const std::string* text = value(name, {FlagType::kString, FlagType::kEnum});
  return text == nullptr ? std::string() : *text;
}

std::map<std::string, std::string> ParsedFlags::effective() const {
  std::map<std::string, std::string> values;
  for (const auto& [name, entry] : entries_) {
    if (entry.value && entry.flag.refusal.empty() && entry.flag.notice.empty()) {
      values[name] = *entry.value;
    }
  }
  return values;
}

void ParsedFlags::assign(const FlagDefinition& flag, std::string_view value,
                         const std::string& source) {
  Entry& entry = entries_.at(flag.name);
  entry.value = canonical_value(flag, value, source);
  entry.source = source;
}

void ParsedFlags::settle() {
  for (const auto& [name, entry] : entries_) {
    if (entry.source.empty() || entry.value == entry.flag.default_value) continue;
    if (!entry.flag.refusal.empty()) {
      fail(entry.flag.refusal_code, "{}: {}", entry.source, entry.flag.refusal);
    }
    if (!entry.flag.notice.empty()) {
      notices_.push_back(fmt::format("{}: {}", entry.source, entry.flag.notice));
    }
  }
}

}  // namespace convoy
