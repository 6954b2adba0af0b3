#include "core/cli/verbs/verbs.hpp"

#include <filesystem>
#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/doctor/examine.hpp"

namespace convoy::cli {
namespace {

struct DoctorOptions {
  bool json = false;
  std::string root = "/";
  bool deep = false;
  std::string gpu_indices;
  std::string plugin_path;
};

std::vector<FlagDefinition> doctor_flags(DoctorOptions& options) {
  return {
      bind_flag("json", options.json, "JSON instead of text."),
      bind_flag("root", options.root,
                "Examine a copy of a machine's /proc, /sys and /etc below this folder."),
      bind_flag("deep", options.deep,
                "Also load every plug-in, each in a process of its own, and ask what it can do."),
      bind_flag(
          "gpu_indices", options.gpu_indices,
          "Also say which GPUs a run with this flag takes: numbers or ids, separated by commas."),
      plugin_path_flag(options.plugin_path)};
}

constexpr VerbUsage kDoctorUsage = {
    "doctor [flags]",
    "Says whether this machine is ready to train and what to do if not. Exit code 3 when something "
    "has failed."};

}  // namespace

int run_doctor_verb(std::span<const std::string> arguments, std::ostream& out,
                    std::ostream& /*err*/) {
  DoctorOptions options;
  const auto words = read_verb_arguments(arguments, kDoctorUsage, doctor_flags(options), out);
  if (!words) return static_cast<int>(ExitCode::kOk);
  refuse_words(*words, "doctor");
  if (!std::filesystem::is_directory(options.root))
    fail(ExitCode::kUsage,
         "--root={}: no such folder; it is to hold copies of /proc, /sys and /etc", options.root);
  const doctor::Findings findings = doctor::examine(SystemRoot(options.root), options.plugin_path,
                                                    options.deep, options.gpu_indices);
  options.json ? doctor::print_findings_json(out, findings) : doctor::print_findings(out, findings);
  return static_cast<int>(any_failed(findings) ? ExitCode::kUnavailable : ExitCode::kOk);
}

}  // namespace convoy::cli
