#include "core/cli/verbs/compare_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::cli {
namespace {

const std::vector<VerbFlag>& compare_flags() {
  static const std::vector<VerbFlag> kCompareFlags = {
      {"models", true, "Models, separated by commas (run's default)."},
      {"num_devices", true, "Numbers of devices, on every host (1,2,4,8)."},
      {"strategies", true,
       "Strategies, each NAME or NAME:option=value:option=value, separated by commas; auto is the "
       "one that --variable_update=auto takes (all installed ones and auto)."},
      {"simulate", false,
       "Simulate on this machine's processors, or what --device names, instead of running."},
      {"repeat", true,
       "Run every cell so often, in turn with the others, and give medians; the report shows the "
       "range (1)."},
      {"output_file", true, "Write the record here, what --json prints: comparison.json."},
      {"report", true, "Write an offline page with the scaling curves here: report.html."},
      {"json", false, "JSON instead of a table."}};
  return kCompareFlags;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> parse_names(const std::string& flag, const std::string& text) {
  std::vector<std::string> names = split(text, ',');
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty())
      fail(ExitCode::kUsage, "--{}={}: an empty name; separate names by single commas", flag, text);
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      fail(ExitCode::kUsage, "--{}={}: '{}' occurs twice", flag, text, names[i]);
  }
  return names;
}

ComparedStrategy parse_strategy(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  ComparedStrategy strategy{text, {"--variable_update=" + parts.front()}};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].find('=') == std::string::npos || parts[i].front() == '-')
      fail(ExitCode::kUsage,
           "--strategies: '{}' in '{}' is no option; write NAME:option=value, such as "
           "replicated:all_reduce_spec=xring",
           parts[i], text);
    strategy.flags.push_back("--" + parts[i]);
  }
  return strategy;
}

std::vector<std::string> all_strategies(const std::string& plugin_path) {
  const Catalog catalog = installed_plugins(plugin_path);
  std::vector<std::string> names = catalog.names(PluginKind::kStrategy);
  names.emplace_back("auto");
  return names;
}

// The device that --simulate assumes without --device.
std::string processors(const std::vector<std::string>& common) {
  PluginHost host;
  return choose_processors(host, scan_catalog(common)).manifest.name;
}

// The verb's own flags apart from those of the cells.
struct Parts {
  std::vector<std::string> own;
  std::vector<std::string> common;
};

const VerbFlag* own_flag(const std::string& argument) {
  if (!argument.starts_with("-")) return nullptr;
  const std::size_t first = argument.find_first_not_of('-');
  if (first == std::string::npos) return nullptr;
  const std::string name = argument.substr(first, argument.find('=') - first);
  const auto& flags = compare_flags();
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const VerbFlag& flag) {
    return flag.name == name || (name == "num_gpus" && flag.name == "num_devices") ||
           (name == "model" && flag.name == "models");
  });
  return found == flags.end() ? nullptr : &*found;
}

Parts take_apart(std::span<const std::string> arguments) {
  Parts parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const VerbFlag* flag = own_flag(arguments[i]);
    if (flag == nullptr) {
      parts.common.push_back(arguments[i]);
      continue;
    }
    const std::size_t equals = arguments[i].find('=');
    parts.own.push_back("--" + flag->name +
                        (equals == std::string::npos ? "" : arguments[i].substr(equals)));
    if (equals == std::string::npos && flag->takes_value && i + 1 < arguments.size())
      parts.own.push_back(arguments[++i]);
  }
  return parts;
}

std::uint32_t parse_repeats(const std::string& text) {
  constexpr std::uint32_t kMost = 1000;
  std::uint32_t repeats = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), repeats);
  if (error != std::errc() || end != text.data() + text.size() || repeats < 1 || repeats > kMost)
    fail(ExitCode::kUsage, "--repeat={} is not a number from 1 to {}", text, kMost);
  return repeats;
}

void refuse_flags_of_cells(const std::vector<std::string>& common) {
  for (const char* flag : {"variable_update", "trace_file", "train_dir"})
    if (find_flag(common, flag, no_environment))
      fail(ExitCode::kUsage, "--{} is for a single run, but compare makes several; {}", flag,
           std::string(flag) == "variable_update" ? "use --strategies" : "leave it out");
  for (const char* flag : {"eval", "input_only"})
    if (find_switch(common, flag, no_environment))
      fail(ExitCode::kUsage, "--{}: compare is about training steps; leave it out", flag);
}

// Before the first cell, not in each.
void check_models(const CompareRequest& request) {
  const Catalog catalog = installed_plugins(find_flag(request.common, "plugin_path").value_or(""));
  for (const std::string& model : request.models)
    static_cast<void>(catalog.find(PluginKind::kModel, model));
}

}  // namespace

CompareRequest parse_compare_request(std::span<const std::string> arguments) {
  const Parts parts = take_apart(arguments);
  const VerbArguments own = parse_verb_arguments(parts.own, compare_flags());
  const auto value = [&](const char* flag, const char* otherwise) {
    return own.has(flag) ? own.value(flag) : std::string(otherwise);
  };
  CompareRequest request;
  request.common = parts.common;
  refuse_flags_of_cells(request.common);
  request.models =
      parse_names("models", own.has("models") ? own.value("models") : JobOptions().model);
  check_models(request);
  request.counts = parse_device_counts("num_devices", value("num_devices", "1,2,4,8"));
  request.json = own.has("json");
  request.repeats = parse_repeats(value("repeat", "1"));
  request.output_file = own.value("output_file");
  request.report_file = own.value("report");
  request.platform = find_flag(request.common, "platform").value_or("");
  request.simulated = own.has("simulate") || !request.platform.empty();
  const std::vector<std::string> names =
      own.has("strategies") ? parse_names("strategies", own.value("strategies"))
                            : all_strategies(find_flag(request.common, "plugin_path").value_or(""));
  for (const std::string& name : names) request.strategies.push_back(parse_strategy(name));
  if (request.simulated && request.platform.empty() && !find_flag(request.common, "device"))
    request.common.emplace_back("--device=" + processors(request.common));
  return request;
}

std::string compare_help() {
  return verb_help("compare [flags]",
                   "runs, or with --platform=NAME simulates, every strategy with every number of "
                   "devices for every model, and prints one table. All other flags are those of "
                   "convoy run, or of convoy simulate.",
                   compare_flags());
}

}  // namespace convoy::cli
