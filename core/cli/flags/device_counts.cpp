#include "core/cli/flags/device_counts.hpp"

#include <charconv>
#include <utility>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/flag.hpp"
#include "core/job/limits.hpp"

namespace convoy::cli {

std::vector<std::uint32_t> parse_counts(const CountList& which, const std::string& list) {
  std::vector<std::uint32_t> counts;
  std::vector<std::string> texts;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (true) {
    std::uint32_t count = 0;
    const auto [next, error] = std::from_chars(at, end, count);
    const bool last = next == end;
    const bool is_number = error == std::errc{} && (last || *next == ',');
    if (!is_number || count < which.least || count > which.most)
      fail(ExitCode::kUsage, "--{}={}: {} from {} to {} separated by commas, such as 1,2,8",
           which.flag, list, which.counted, which.least, which.most);
    counts.push_back(count);
    texts.push_back(std::to_string(count));
    if (last) break;
    at = next + 1;
  }
  require_distinct(which.flag, list, texts);
  return counts;
}

std::vector<std::uint32_t> parse_device_counts(const std::string& flag, const std::string& list) {
  return parse_counts({flag.c_str(), "numbers of devices per host", 1, kMostDevices}, list);
}

std::vector<FlagDefinition> device_count_flags(RunCommand& command,
                                               std::vector<std::uint32_t>& counts,
                                               const std::string& without) {
  const auto list_flag = [&counts](const char* name, const char* other,
                                   std::optional<std::uint32_t>& last, const std::string& help) {
    FlagDefinition flag = custom_flag(
        name, FlagType::kString, {},
        [&counts, &last, name](const std::string& list) {
          counts = parse_device_counts(name, list);
          last = counts.back();
        },
        help);
    flag.group = "Devices";
    return instead_of(other, std::move(flag));
  };
  return {list_flag("num_devices", "num_gpus", command.options.num_devices,
                    "Numbers of devices per host, such as 1,2,4,8; " + without + " when left out."),
          list_flag("num_gpus", "num_devices", command.num_gpus, "The same for CUDA devices.")};
}

}  // namespace convoy::cli
