#include "core/qualify/core_list.hpp"

#include <algorithm>

#include "core/base/system_text.hpp"

namespace convoy::qualify {
namespace {

constexpr std::uint64_t kMostCores = 65536;

}  // namespace

std::vector<unsigned> parse_core_list(std::string_view list) {
  const auto is_of_list = [](char c) { return (c >= '0' && c <= '9') || c == '-' || c == ','; };
  const auto size = list_size(list);
  if (!std::ranges::all_of(list, is_of_list) || !size || *size > kMostCores) return {};
  std::vector<unsigned> cores;
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const std::size_t dash = part.find('-');
    const std::uint64_t first = leading_number(part).value_or(0);
    const std::uint64_t last =
        dash == std::string_view::npos ? first : leading_number(part.substr(dash + 1)).value_or(0);
    for (std::uint64_t core = first; core <= last; ++core)
      cores.push_back(static_cast<unsigned>(core));
  }
  return cores;
}

}  // namespace convoy::qualify
