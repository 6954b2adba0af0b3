#include "core/base/text/system_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace convoy {
namespace {

struct ListPart {
  std::uint64_t first;
  std::uint64_t last;
};

// Returns the parts between the commas; empty if the text is not a list.
std::optional<std::vector<ListPart>> parts_of(std::string_view list) {
  std::vector<ListPart> parts;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const auto first = leading_number(part);
    const std::size_t dash = part.find('-');
    const auto last =
        dash == std::string_view::npos ? first : leading_number(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    parts.push_back({*first, *last});
  }
  return parts;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<std::string> words_of(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r";
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kSpace); at < text.size();
       at = text.find_first_not_of(kSpace, at)) {
    const std::size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::optional<std::string> value_of(std::string_view text, std::string_view key, char separator) {
  constexpr std::string_view kAround = " \t\"\r";
  for (const std::string& line : lines_of(text)) {
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    std::string_view name(line.data(), at);
    name = name.substr(0, name.find_last_not_of(kAround) + 1);
    if (name != key) continue;
    std::string_view value = std::string_view(line).substr(at + 1);
    value.remove_prefix(std::min(value.find_first_not_of(kAround), value.size()));
    return std::string(value.substr(0, value.find_last_not_of(kAround) + 1));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> list_size(std::string_view list) {
  const auto parts = parts_of(list);
  if (!parts) return std::nullopt;
  std::uint64_t size = 0;
  for (const auto& [first, last] : *parts) size += last - first + 1;
  if (size == 0) return std::nullopt;
  return size;
}

std::vector<unsigned> numbers_of_list(std::string_view list) {
  constexpr std::uint64_t kMost = 65536;
  const auto is_of_list = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == ','; };
  const auto parts = parts_of(list);
  if (!parts || !std::ranges::all_of(list, is_of_list)) return {};
  std::vector<unsigned> numbers;
  for (const auto& [first, last] : *parts) {
    if (last - first >= kMost - numbers.size()) return {};
    for (std::uint64_t number = first; number <= last; ++number)
      numbers.push_back(static_cast<unsigned>(number));
  }
  return numbers;
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace convoy
