#include "core/cli/flags/sweep_axes.hpp"

#include <algorithm>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/base/text/split.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/flag.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/job/limits.hpp"

namespace convoy::cli {
namespace {

std::vector<std::string> values_of(const std::string& flag, const std::string& list) {
  std::error_code ignored;  // set if the list is too long for a file name
  // The argument is a file, whatever its name.
  if (std::filesystem::exists(list, ignored)) return {list};
  std::vector<std::string> values = split(list, ',');
  if (std::ranges::any_of(values, &std::string::empty))
    fail(ExitCode::kUsage, "--{}={}: an empty value; separate values by single commas", flag, list);
  require_distinct(flag, list, values);
  return values;
}

}  // namespace

SweepAxes::SweepAxes(std::span<const std::string> arguments) {
  const auto add = [&](const FlagDefinition& flag, bool is_swept) {
    const auto list = find_flag(arguments, flag);
    if (list && !list->empty()) axes_.push_back({flag.name, values_of(flag.name, *list), is_swept});
  };
  for (const char* name : {"platform", "model", "variable_update"}) add({.name = name}, true);
  RunCommand unused;
  std::vector<std::uint32_t> no_counts;
  const auto add_numbers = [&](const FlagDefinition& flag, bool is_swept) {
    if (const auto list = find_flag(arguments, flag))
      flag.store(*list);  // refuses what is no number
    add(flag, is_swept);
  };
  for (const FlagDefinition& flag : swept_number_flags(unused.options)) add_numbers(flag, true);
  for (const FlagDefinition& flag : device_count_flags(unused, no_counts)) add_numbers(flag, false);
}

std::size_t SweepAxes::size() const {
  std::size_t points = 1;
  for (const SweepAxis& axis : axes_) points *= axis.values.size();
  return points;
}

bool SweepAxes::is_sweep() const {
  return std::ranges::any_of(
      axes_, [](const SweepAxis& axis) { return axis.is_swept && axis.values.size() > 1; });
}

std::vector<std::string> SweepAxes::values_at(std::size_t point) const {
  std::vector<std::string> values(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const std::vector<std::string>& all = axes_[i].values;
    values[i] = all[point % all.size()];
    point /= all.size();
  }
  return values;
}

std::vector<std::string> SweepAxes::flags_at(std::size_t point) const {
  std::vector<std::string> flags = values_at(point);
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = "--" + axes_[i].flag + "=" + flags[i];
  return flags;
}

std::vector<FlagDefinition> swept_number_flags(JobOptions& options) {
  constexpr CountList kBatches = {"batch_size", "images per device and step", 0, kMostImages};
  constexpr CountList kHosts = {"hosts", "numbers of hosts", 1, kMostHosts};
  FlagDefinition batch = custom_flag(
      kBatches.flag, FlagType::kString, "0",
      [&options, kBatches](const std::string& list) {
        const std::uint32_t last = parse_counts(kBatches, list).back();
        options.batch_size = last == 0 ? std::nullopt : std::optional(last);
      },
      "Images per device and step, such as 32,64. 0 takes the model's default, or fewer on CPU "
      "devices where a step would take more than about 2 s.");
  batch.group = "Model and length";
  FlagDefinition hosts = custom_flag(
      kHosts.flag, FlagType::kString, "1",
      [&options, kHosts](const std::string& list) {
        options.machine.hosts = parse_counts(kHosts, list).back();
      },
      "Numbers of machines of this kind, on one network, such as 1,2,4.");
  hosts.group = kMachineGroup;
  return {std::move(batch), std::move(hosts)};
}

}  // namespace convoy::cli
