#include "core/cli/verbs/verbs.hpp"

#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/doctor/examine.hpp"

namespace convoy::cli {
namespace {

const VerbFlag kDoctorFlags[] = {
    {"json", false, "JSON instead of text."},
    {"root", true, "Examine a copy of a machine's /proc, /sys and /etc below this folder."},
    {"deep", false,
     "Also load every plug-in, each in a process of its own, and ask what it can do."},
    {"gpu_indices", true,
     "Also say which GPUs a run with this flag takes: numbers or ids, separated by commas."},
    {"plugin_path", true, "Files and directories to look for plug-ins in first, separated by ':'."},
    {"help", false, "This text."},
};

}  // namespace

int run_doctor_verb(std::span<const std::string> arguments, std::ostream& out,
                    std::ostream& /*err*/) {
  const VerbArguments given = parse_verb_arguments(arguments, kDoctorFlags);
  if (given.has("help")) {
    out << verb_help("doctor [flags]",
                     "Says whether this machine is ready to train and what to do if not. Exit "
                     "code 3 when something has failed.",
                     kDoctorFlags);
    return static_cast<int>(ExitCode::kOk);
  }
  if (!given.positional.empty())
    fail(ExitCode::kUsage, "doctor takes flags only, but '{}' was given", given.positional.front());
  const SystemRoot root(given.has("root") ? given.value("root") : "/");
  const doctor::Findings findings = doctor::examine(root, given.value("plugin_path"),
                                                    given.has("deep"), given.value("gpu_indices"));
  given.has("json") ? doctor::print_findings_json(out, findings)
                    : doctor::print_findings(out, findings);
  return static_cast<int>(any_failed(findings) ? ExitCode::kUnavailable : ExitCode::kOk);
}

}  // namespace convoy::cli
