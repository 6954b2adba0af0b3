#include "core/cli/verbs/check_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/conformance/conformance.hpp"
#include "core/plugin/device_choice.hpp"

namespace convoy {
namespace {

using conformance::CaseResult;
using conformance::ConformanceCase;
using conformance::ConformanceRun;
using conformance::Outcome;

std::vector<FlagDefinition> own_flags() {
  FlagDefinition only;
  only.name = "only";
  only.default_value = "";
  only.help =
      "Of the cases, those whose group and name contain this, such as layers or apply: adam.";
  FlagDefinition path;
  path.name = "plugin_path";
  path.default_value = "";
  path.help = "Files and directories to look for plug-ins in first, separated by ':'.";
  std::vector<FlagDefinition> flags = {only, path};
  for (FlagDefinition& flag : flags) flag.group = "flags for a device";
  return flags;
}

FlagTable table_for(const Manifest& manifest) {
  FlagTable table;
  table.add_all(own_flags());
  for (const OptionDeclaration& option : manifest.options)
    table.add(to_flag(option, fmt::format("options of {}", manifest.name)));
  return table;
}

const char* outcome_name(Outcome outcome) {
  if (outcome == Outcome::kRight) return "right";
  return outcome == Outcome::kWrong ? "wrong" : "unsupported";
}

class DeviceCheck {
 public:
  DeviceCheck(const DevicePlugin& plugin, std::string only, std::ostream& out)
      : plugin_(plugin), only_(std::move(only)), out_(out), run_(plugin) {}

  bool hangs() const { return run_.hangs(); }

  int execute() {
    out_ << fmt::format("{}: {}, {}\n", plugin_.manifest().name, run_.description().name,
                        run_.description().model);
    for (const ConformanceCase& it : conformance::conformance_cases()) {
      if (run_.hangs()) break;
      const std::string label = it.group + ": " + it.name;
      if (label.find(only_) != std::string::npos) check(it, label);
    }
    return conclude();
  }

 private:
  // A line is complete before the next case begins, so that a crash shows where it was.
  void check(const ConformanceCase& it, const std::string& label) {
    out_ << label << ": " << std::flush;
    const CaseResult result = run_.run(it);
    ++counts_[static_cast<std::size_t>(result.outcome)];
    out_ << outcome_name(result.outcome);
    if (result.outcome == Outcome::kUnsupported) out_ << " (" << result.text << ')';
    if (result.outcome == Outcome::kWrong) out_ << "\n       " << result.text;
    out_ << std::endl;
  }

  int conclude() {
    const auto [right, wrong, unsupported] = counts_;
    if (right + wrong + unsupported == 0)
      fail(ExitCode::kUsage,
           "--only={}: no case has that in its name; without --only all of them are shown", only_);
    out_ << fmt::format("{}: {} right, {} wrong, {} unsupported\n", plugin_.manifest().name, right,
                        wrong, unsupported);
    if (right + wrong == 0) out_ << "nothing that was tried is supported: nothing is shown\n";
    return static_cast<int>(wrong == 0 && right > 0 ? ExitCode::kOk : ExitCode::kFailed);
  }

  const DevicePlugin& plugin_;
  std::string only_;
  std::ostream& out_;
  ConformanceRun run_;
  std::array<int, 3> counts_{};  // by Outcome
};

}  // namespace

bool names_device(std::span<const std::string> arguments) {
  const std::string& name = arguments.front();
  if (name == "auto") return false;  // the strategy that --variable_update=auto takes
  const std::vector<FoundPlugin> found = scan_catalog(arguments).find(name);
  const auto is = [&](PluginKind kind) {
    return std::ranges::any_of(found, [kind](const auto& it) { return it.manifest.kind == kind; });
  };
  const bool device = is(PluginKind::kDevice);
  const bool strategy = is(PluginKind::kStrategy);
  if (!device && !strategy)
    fail(ExitCode::kUsage, "check takes a strategy or a device, and '{}' is a model", name);
  if (device && strategy)
    fail(ExitCode::kUsage,
         "'{}' is a strategy and a device; give the path of the file that is meant (convoy list "
         "shows it)",
         name);
  return device;
}

int run_check_device(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  auto host = std::make_unique<PluginHost>();
  const FoundPlugin found = choose_device(*host, scan_catalog(arguments), arguments.front());
  const ParsedFlags flags = parse_flags(table_for(found.manifest), arguments.subspan(1));
  std::vector<std::string> options;
  for (const OptionDeclaration& option : found.manifest.options) options.push_back(option.name);
  auto plugin = std::make_unique<DevicePlugin>(host->load_device(found),
                                               given_values(flags, options), log_to(err));
  DeviceCheck check(*plugin, flags.value("only"), out);
  const int code = check.execute();
  if (!check.hangs()) return code;
  // Its threads may still run its code.
  static_cast<void>(plugin.release());
  static_cast<void>(host.release());
  fail(ExitCode::kTimeout,
       "device {} hangs in the last case above; the cases behind it did not run",
       found.manifest.name);
}

std::string check_device_help() {
  FlagTable table;
  table.add_all(own_flags());
  return flag_help(table);
}

}  // namespace convoy
