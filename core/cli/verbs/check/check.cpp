#include "core/cli/verbs/verbs.hpp"

#include <algorithm>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/device_counts.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/machine_flags.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/check/checks.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/select/candidate.hpp"

namespace convoy::cli {
namespace {

// Returns the kind of the plug-in NAME, which is a name or a path. "auto" is the strategy that
// --variable_update=auto chooses.
plugin::PluginKind checked_kind(std::span<const std::string> arguments) {
  const std::string& name = arguments.front();
  if (name == select::kAutoStrategy) return plugin::PluginKind::kStrategy;
  std::vector<plugin::PluginKind> kinds;
  for (const plugin::FoundPlugin& found : scan_catalog(arguments).find(name))
    if (found.manifest.kind != plugin::PluginKind::kModel) kinds.push_back(found.manifest.kind);
  if (kinds.empty())
    fail(ExitCode::kUsage, "check takes a strategy, a device or a transport, and '{}' is a model",
         name);
  if (kinds.size() > 1)
    fail(ExitCode::kUsage,
         "'{}' is the name of a {} and of a {}; give the path of the file instead (convoy list "
         "shows it)",
         name, plugin::to_string(kinds[0]), plugin::to_string(kinds[1]));
  return kinds.front();
}

bool wants_watch(std::span<const std::string> arguments) {
  return std::ranges::any_of(
      arguments, [](const std::string& it) { return it == "--watch" || it == "--watch=true"; });
}

constexpr VerbUsage kCheckUsage = {
    "check NAME [flags]",
    "Proves what a strategy computes and compares it with the strategy's claim: first for the "
    "plans that convoy run with these flags executes, then for all kinds of devices and buckets. A "
    "finding that several plans share is printed once, with the plans that have it. NAME may be a "
    "path such as ./x.so, or auto. --num_devices takes a list, such as 1,2,8. --watch checks again "
    "when the file changes. With the NAME or path of a device: runs every layer and operation on "
    "it and compares the results with a reference. With a transport: sends messages between "
    "processes, in order, concurrently, and to peers that die."};

std::vector<RefusedFlag> refused_by_check() {
  std::vector<RefusedFlag> refused = flags_of_runs("convoy check proves a plan and runs nothing");
  refused.push_back(
      {.name = "variable_update", .reason = "the strategy is the first word of convoy check NAME"});
  return refused;
}

std::vector<FlagDefinition> check_flags(RunCommand& command, bool& watch,
                                        std::vector<std::uint32_t>& counts) {
  return joined(
      {planned_cluster_flags(command.options.machine),
       in_group("What is checked",
                {bind_flag("watch", watch, "Check again whenever the plug-in's file changes.")}),
       device_count_flags(command, counts, "1 to 8")});
}

}  // namespace

int run_check_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::uint32_t> counts;
  bool watch = false;
  const auto flags = [&](RunCommand& command) { return check_flags(command, watch, counts); };
  const std::vector<RefusedFlag> refused = refused_by_check();
  if (wants_help(arguments)) {
    out << usage_text(kCheckUsage) + command_help(arguments, flags, refused);
    const std::string topic = help_topic(arguments);
    if (topic.empty() || topic == "all")
      out << '\n' << check_device_help() << check_transport_help();
    return static_cast<int>(ExitCode::kOk);
  }
  if (arguments.empty() || arguments.front().starts_with("-"))
    fail(ExitCode::kUsage,
         "check needs a strategy, a device or a transport: convoy check NAME [flags]");
  if (wants_watch(arguments)) return watch_check({arguments.begin(), arguments.end()}, out);
  const plugin::PluginKind kind = checked_kind(arguments);
  if (kind == plugin::PluginKind::kDevice) return run_check_device(arguments, out, err);
  if (kind == plugin::PluginKind::kTransport) return run_check_transport(arguments, out, err);
  std::vector<std::string> of_run(arguments.begin() + 1, arguments.end());
  refuse_flags(of_run, refused);
  of_run.push_back("--variable_update=" + arguments.front());
  JobCommand command = read_command(of_run, flags);
  if (!counts.empty()) command.options.num_devices = std::ranges::max(counts);
  const bool here = job::plans_for_this_machine(command.options.machine);
  const job::Setup setup =
      job::set_up_dry_run(std::move(command.options), std::move(command.catalog),
                          {.of_this_machine = here, .does_without_devices = true},
                          job::choose_as_run_does, log_to(err));
  if (setup.device == nullptr && here)
    err << "convoy: this machine has no such devices: only plans for generic devices are checked\n";
  print_notices(err, command.notices);
  print_notices(err, setup.notices);
  return check_strategy(setup, counts, out);
}

}  // namespace convoy::cli
