#include "core/cli/verbs/compare_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/error.hpp"
#include "core/base/text/split.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/flag.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/cli/flags/sweep_axes.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/verbs/known_names.hpp"
#include "core/job/limits.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/plugin/search_path.hpp"
#include "core/select/candidate.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::cli {
namespace {

// The verb's own flags. Lists are texts until they are parsed.
struct OwnOptions {
  std::string models = JobOptions().model;
  std::string num_devices = "1,2,4,8";
  std::optional<std::string> strategies;
  bool simulate = false;
};

std::vector<FlagDefinition> compare_flags(OwnOptions& own, CompareRequest& request) {
  return {
      instead_of("model", bind_flag("models", own.models, "Models, separated by commas.")),
      instead_of("num_gpus",
                 bind_flag("num_devices", own.num_devices, "Numbers of devices, on every host.")),
      bind_flag("strategies", own.strategies,
                "Strategies, each NAME or NAME:option=value:option=value, separated by commas; "
                "auto is the one that --variable_update=auto takes. Without it: all installed ones "
                "and auto."),
      bind_flag("simulate", own.simulate,
                "Simulate on this machine's processors, or what --device names, instead of "
                "running."),
      bind_flag("repeat", request.repeats, Bounds{1, kMostRepeats},
                "Runs of every cell, interleaved with the other cells; the table has the medians, "
                "the report also the ranges."),
      bind_flag("output_file", request.output_file,
                "Write the record here, as --json prints it: comparison.json."),
      bind_flag("report", request.report_file,
                "Write an offline page with the scaling curves here: report.html."),
      bind_flag("json", request.json, "JSON instead of a table.")};
}

constexpr VerbUsage kCompareUsage = {
    "compare [flags]",
    "Runs, or with --platform=NAME or --topology=FILE simulates, every strategy with every number "
    "of devices for every model, and prints one table. All other flags are those of convoy run, or "
    "of convoy simulate."};

std::vector<std::string> parse_names(const std::string& flag, const std::string& text) {
  std::vector<std::string> names = split(text, ',');
  for (const std::string& name : names)
    if (name.empty())
      fail(ExitCode::kUsage, "--{}={}: an empty name; separate names by single commas", flag, text);
  require_distinct(flag, text, names);
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
  const plugin::Catalog catalog = plugin::installed_plugins(plugin_path);
  std::vector<std::string> names = catalog.names(plugin::PluginKind::kStrategy);
  names.emplace_back(select::kAutoStrategy);
  return names;
}

// Returns the device that --simulate assumes without --device.
std::string processors(const std::vector<std::string>& common) {
  plugin::PluginHost host;
  return plugin::choose_processors(host, scan_catalog(common)).manifest.name;
}

// The verb's own flags, separated from those of the cells.
struct Parts {
  std::vector<std::string> own;
  std::vector<std::string> common;
};

const FlagDefinition* own_flag(const std::string& argument,
                               const std::vector<FlagDefinition>& flags) {
  if (!argument.starts_with("-")) return nullptr;
  const std::size_t first = std::min(argument.find_first_not_of('-'), argument.size());
  const std::string name = argument.substr(first, argument.find('=') - first);
  if (name.empty()) return nullptr;
  const auto found = std::ranges::find_if(flags, [&](const FlagDefinition& flag) {
    return name == flag.name || name == flag.instead_of;
  });
  return found == flags.end() ? nullptr : &*found;
}

Parts take_apart(std::span<const std::string> arguments, const std::vector<FlagDefinition>& flags) {
  Parts parts;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const FlagDefinition* flag = own_flag(arguments[i], flags);
    if (flag == nullptr) {
      parts.common.push_back(arguments[i]);
      continue;
    }
    const std::size_t equals = arguments[i].find('=');
    parts.own.push_back("--" + flag->name +
                        (equals == std::string::npos ? "" : arguments[i].substr(equals)));
    if (equals == std::string::npos && flag->type != FlagType::kBool && i + 1 < arguments.size())
      parts.own.push_back(arguments[++i]);
  }
  return parts;
}

void refuse_flags_of_cells(const std::vector<std::string>& common) {
  const std::string several = "compare makes several, but this flag is about one";
  const std::string steps = "compare is about training steps";
  refuse_flags(common, std::vector<RefusedFlag>{
                           {.name = "variable_update",
                            .reason = "compare makes several, with the strategies of --strategies"},
                           {.name = "trace_file", .reason = several},
                           {.name = "train_dir", .reason = several},
                           {.name = "against", .reason = several},
                           {.name = "against_program", .reason = several},
                           {.name = "profile", .reason = several, .is_switch = true},
                           {.name = "transport",
                            .reason = "compare runs each in one process, or simulates it",
                            .unset = "auto"},
                           {.name = "eval", .reason = steps, .is_switch = true},
                           {.name = "input_only", .reason = steps, .is_switch = true}});
}

// Refuses lists in the flags of cells, because a cell is one simulation.
void refuse_lists(const std::vector<std::string>& common) {
  const std::set<std::string> flags = {"platform", "batch_size", "hosts"};
  const SweepAxes axes(common);
  for (const SweepAxis& axis : axes.axes())
    if (flags.contains(axis.flag) && axis.values.size() > 1)
      fail(ExitCode::kUsage,
           "--{}={}: compare takes one value of it, and lists in --models, --num_devices and "
           "--strategies; convoy simulate takes lists in others, too",
           axis.flag, fmt::join(axis.values, ","));
}

// Sets the simulated machine and its hosts, which all cells share.
void describe_machine(const OwnOptions& own, CompareRequest& request) {
  const std::string platform = find_flag(request.common, "platform").value_or("");
  const std::string topology = find_flag(request.common, "topology").value_or("");
  request.machine = platform.empty() ? topology : platform;
  request.simulated = own.simulate || !request.machine.empty();
  if (!request.simulated) return;
  refuse_lists(request.common);
  constexpr CountList kHosts = {"hosts", "a number of hosts", 1, kMostHosts};
  const std::string hosts = find_flag(request.common, "hosts").value_or("1");
  request.hosts =
      topology::hosts_of_platform(platform).value_or(parse_counts(kHosts, hosts).front());
  if (request.machine.empty() && !find_flag(request.common, "device"))
    request.common.emplace_back("--device=" + processors(request.common));
}

// Checks names once before the first cell, not in each cell.
void check_names(const CompareRequest& request, const std::vector<std::string>& strategies) {
  ListedNames names;
  names.models = request.models;
  for (const std::string& strategy : strategies)
    names.strategies.push_back(split(strategy, ':').front());
  const std::string platform = find_flag(request.common, "platform").value_or("");
  if (!platform.empty()) names.platforms.push_back(platform);
  require_known(names, request.common);
}

}  // namespace

CompareRequest parse_compare_request(std::span<const std::string> arguments) {
  OwnOptions own;
  CompareRequest request;
  FlagTable table;
  table.add_all(compare_flags(own, request));
  const auto several = find_flag(arguments, "models");
  const auto one = find_flag(arguments, "model");  // another name of --models
  if (several && one)
    fail(ExitCode::kUsage, "--models={} and --model={}: give one of them", *several, *one);
  const Parts parts = take_apart(arguments, table.flags());
  static_cast<void>(parse_flags(table, parts.own, Positional::kRefused, no_environment));
  request.common = parts.common;
  refuse_flags_of_cells(request.common);
  request.models = parse_names("models", own.models);
  request.counts = parse_device_counts("num_devices", own.num_devices);
  describe_machine(own, request);
  if (request.simulated && request.repeats > 1)
    fail(ExitCode::kUsage,
         "--repeat={}: a simulation gives the same figures every time; leave it out",
         request.repeats);
  const std::vector<std::string> names =
      own.strategies ? parse_names("strategies", *own.strategies)
                     : all_strategies(find_flag(request.common, "plugin_path").value_or(""));
  for (const std::string& name : names) request.strategies.push_back(parse_strategy(name));
  check_names(request, names);
  return request;
}

std::string compare_help() {
  OwnOptions own;
  CompareRequest request;
  return verb_help(kCompareUsage, compare_flags(own, request));
}

}  // namespace convoy::cli
