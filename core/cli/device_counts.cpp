#include "core/cli/device_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/error.hpp"
#include "core/cli/flag_limits.hpp"
#include "core/cli/flag_parser.hpp"

namespace convoy {
namespace {

// "1,2,4,8"; Error kUsage naming the flag.
std::vector<std::uint32_t> parse_count_list(const std::string& flag, const std::string& value) {
  std::vector<std::uint32_t> counts;
  const char* at = value.data();
  const char* const end = at + value.size();
  while (true) {
    std::uint32_t count = 0;
    const auto [next, error] = std::from_chars(at, end, count);
    const bool last = next == end;
    if (error != std::errc{} || count == 0 || count > kMostDevices || (!last && *next != ','))
      fail(ExitCode::kUsage,
           "--{}={}: numbers of devices per host from 1 to {} separated by commas, such as 1,2,8",
           flag, value, kMostDevices);
    counts.push_back(count);
    if (last) return counts;
    at = next + 1;
  }
}

}  // namespace

DeviceCounts take_counts(std::span<const std::string> arguments) {
  DeviceCounts result;
  for (const std::string flag : {"num_gpus", "num_devices"}) {
    const std::optional<std::string> value = find_flag(arguments, flag);
    if (value && !value->empty()) result.counts = parse_count_list(flag, *value);
  }
  bool replaces_next = false;
  for (const std::string& argument : arguments) {
    const std::size_t dashes =
        std::min({argument.find_first_not_of('-'), argument.size(), std::size_t{2}});
    const std::string name = argument.substr(dashes, argument.find('=') - dashes);
    const bool counts = dashes > 0 && (name == "num_gpus" || name == "num_devices");
    const bool has_value = argument.find('=') != std::string::npos;
    const std::string last =
        result.counts.empty() ? argument : fmt::format("{}", result.counts.back());
    if (counts && has_value && !result.counts.empty())
      result.arguments.push_back(fmt::format("--{}={}", name, last));
    else
      result.arguments.push_back(replaces_next ? last : argument);
    replaces_next = counts && !has_value;
  }
  return result;
}

}  // namespace convoy
