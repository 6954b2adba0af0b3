#include "core/cli/verbs/check/checks.hpp"

#include <fmt/format.h>

#include <convoy/grpc_threads.hpp>
#include <ostream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/process/process_limits.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/check/case_results.hpp"
#include "core/conformance/transport_conformance.hpp"

namespace convoy::cli {
namespace {

using conformance::TransportCase;

constexpr unsigned kPatience = 60;  // seconds per case

std::vector<FlagDefinition> transport_flags() {
  return case_flags("Flags for a transport", "credit or endings: a peer is killed");
}

std::string label_of(const TransportCase& it) {
  return it.group + ": " + it.name;
}

// Returns the number of threads that a transport may start. gRPC starts the most of those that
// connect machines. A transport within one machine needs no network threads.
std::uint64_t threads_of_end(const plugin::TransportPlugin& plugin) {
  constexpr std::uint64_t kOwn = 2;
  constexpr std::uint64_t kOfNetwork = 16;  // measured, in addition to runners and pollers
  if (plugin.has(CONVOY_TRANSPORT_ONE_MACHINE)) return kOwn;
  return kOwn + kOfNetwork + grpc_runners() + grpc_pollers();
}

// Without this check, a case that lacks threads or files would blame the transport or wait for its
// timeout. Usually two processes run at a time, in few cases three.
void require_room_for_cases(const plugin::TransportPlugin& plugin) {
  constexpr std::uint64_t kFiles = 32;
  prepare_to_open(kFiles, "the processes of check");
  prepare_to_start(2 * threads_of_end(plugin), "a case of check");
}

int check_in_own_processes(const plugin::TransportPlugin& plugin, CaseResults& results) {
  require_room_for_cases(plugin);
  for (const TransportCase& it : conformance::transport_cases())
    if (results.wants(label_of(it)))
      results.add(label_of(it), [&] { return conformance::run_forked(plugin, it, kPatience); });
  return results.conclude(plugin.manifest().name);
}

// The first process prints the report. If another process finds something wrong, it ends the job,
// so it says what it found.
int check_in_launched_processes(const plugin::TransportPlugin& plugin, const std::string& only,
                                std::ostream& out, std::ostream& err) {
  if (const auto reason = plugin.unavailable())
    fail(ExitCode::kUnavailable, "{} is checked by two processes that its launcher starts: {}",
         plugin.manifest().name, *reason);
  const std::uint32_t rank = plugin.launched().rank;
  std::ostringstream last_case;
  CaseResults results(only, rank == 0 ? out : last_case);
  std::uint32_t number = 0;
  for (const TransportCase& it : conformance::transport_cases()) {
    ++number;
    if (!results.wants(label_of(it))) continue;
    last_case.str({});
    const auto outcome = results.add(
        label_of(it), [&] { return conformance::run_launched(plugin, it, number, kPatience); });
    if (outcome != conformance::Outcome::kWrong) continue;
    if (rank != 0) err << fmt::format("process {}: {}", rank, last_case.str()) << std::flush;
    break;
  }
  return results.conclude(plugin.manifest().name);
}

}  // namespace

int run_check_transport(std::span<const std::string> arguments, std::ostream& out,
                        std::ostream& err) {
  plugin::PluginHost host;
  const plugin::FoundPlugin found =
      scan_catalog(arguments).find(plugin::PluginKind::kTransport, arguments.front());
  const ParsedFlags flags =
      parse_flags(case_table(transport_flags(), found.manifest), arguments.subspan(1));
  const plugin::TransportPlugin plugin(host.load_transport(found),
                                       given_options(found.manifest, flags), log_to(err));
  if (!plugin.has(CONVOY_TRANSPORT_LAUNCHED)) {
    CaseResults results(flags.value("only"), out);
    return check_in_own_processes(plugin, results);
  }
  return check_in_launched_processes(plugin, flags.value("only"), out, err);
}

std::string check_transport_help() {
  FlagTable table;
  table.add_all(transport_flags());
  return flag_help(table, "all");
}

}  // namespace convoy::cli
