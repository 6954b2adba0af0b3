#include "core/cli/verbs/check/case_results.hpp"

#include <fmt/format.h>

#include <ostream>

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/plugin_flags.hpp"

namespace convoy::cli {
namespace {

using conformance::CaseResult;
using conformance::Outcome;

const char* outcome_name(Outcome outcome) {
  if (outcome == Outcome::kRight) return "right";
  return outcome == Outcome::kWrong ? "wrong" : "unsupported";
}

}  // namespace

Outcome CaseResults::add(const std::string& label, const std::function<CaseResult()>& run) {
  out_ << label << ": " << std::flush;
  const CaseResult result = run();
  ++counts_[static_cast<std::size_t>(result.outcome)];
  out_ << outcome_name(result.outcome);
  if (result.outcome == Outcome::kUnsupported) out_ << " (" << result.text << ')';
  if (result.outcome == Outcome::kWrong) out_ << "\n       " << result.text;
  out_ << std::endl;
  return result.outcome;
}

int CaseResults::conclude(const std::string& plugin) {
  const auto [right, wrong, unsupported] = counts_;
  if (right + wrong + unsupported == 0)
    fail(ExitCode::kUsage,
         "--only={}: no case has that in its name; without --only all of them are shown", only_);
  out_ << fmt::format("{}: {} right, {} wrong, {} unsupported\n", plugin, right, wrong,
                      unsupported);
  if (right + wrong == 0) out_ << "no case is supported, so nothing is proved\n";
  return static_cast<int>(wrong == 0 && right > 0 ? ExitCode::kOk : ExitCode::kFailed);
}

std::vector<FlagDefinition> case_flags(const std::string& group, const std::string& such_as) {
  FlagDefinition only;
  only.name = "only";
  only.default_value = "";
  only.help =
      fmt::format("Run only the cases whose group and name contain this, such as {}.", such_as);
  return in_group(group, {only, plugin_path_flag()});
}

FlagTable case_table(std::vector<FlagDefinition> flags, const plugin::Manifest& manifest) {
  FlagTable table;
  table.add_all(std::move(flags));
  for (const plugin::OptionDeclaration& option : manifest.options)
    table.add(to_flag(option, fmt::format("options of {}", manifest.name)));
  return table;
}

}  // namespace convoy::cli
