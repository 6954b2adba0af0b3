#include "core/cli/verbs/check/checks.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/check/case_results.hpp"
#include "core/conformance/conformance.hpp"
#include "core/plugin/device_choice.hpp"

namespace convoy::cli {
namespace {

using conformance::ConformanceCase;
using conformance::ConformanceRun;

std::vector<FlagDefinition> device_flags() {
  return case_flags("Flags for a device", "layers or apply: adam");
}

class DeviceCheck {
 public:
  DeviceCheck(const plugin::DevicePlugin& plugin, std::string only, std::ostream& out)
      : plugin_(plugin), out_(out), results_(std::move(only), out), run_(plugin) {}

  bool hangs() const { return run_.hangs(); }

  int execute() {
    out_ << fmt::format("{}: {}, {}\n", plugin_.manifest().name, run_.description().name,
                        run_.description().model);
    for (const ConformanceCase& it : conformance::conformance_cases()) {
      if (run_.hangs()) break;
      const std::string label = it.group + ": " + it.name;
      if (results_.wants(label)) results_.add(label, [&] { return run_.run(it); });
    }
    return results_.conclude(plugin_.manifest().name);
  }

 private:
  const plugin::DevicePlugin& plugin_;
  std::ostream& out_;
  CaseResults results_;
  ConformanceRun run_;
};

}  // namespace

int run_check_device(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  auto host = std::make_unique<plugin::PluginHost>();
  const plugin::FoundPlugin found =
      plugin::choose_device(*host, scan_catalog(arguments), arguments.front());
  const ParsedFlags flags =
      parse_flags(case_table(device_flags(), found.manifest), arguments.subspan(1));
  auto plugin = std::make_unique<plugin::DevicePlugin>(
      host->load_device(found), given_options(found.manifest, flags), log_to(err));
  DeviceCheck check(*plugin, flags.value("only"), out);
  const int code = check.execute();
  if (!check.hangs()) return code;
  // Threads of the device may still run its code.
  leave_to_the_end(plugin);
  leave_to_the_end(host);
  fail(ExitCode::kTimeout, "device {} hangs in the last case above; the cases after it did not run",
       found.manifest.name);
}

std::string check_device_help() {
  FlagTable table;
  table.add_all(device_flags());
  return flag_help(table, "all");
}

}  // namespace convoy::cli
