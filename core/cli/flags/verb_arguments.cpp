#include "core/cli/flags/verb_arguments.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/cli/flags/flag_parser.hpp"

namespace convoy::cli {
namespace {

FlagTable table_of(std::vector<FlagDefinition> flags) {
  FlagTable table;
  flags.push_back(
      {.name = "help", .type = FlagType::kBool, .default_value = "false", .help = "Prints this."});
  for (FlagDefinition& flag : flags) {
    flag.group = "Flags";
    flag.common = true;
    table.add(std::move(flag));
  }
  return table;
}

}  // namespace

std::string usage_text(const VerbUsage& usage) {
  return fmt::format("usage: convoy {}\n\n{}\n\n", usage.form, usage.summary);
}

std::string verb_help(const VerbUsage& usage, std::vector<FlagDefinition> flags) {
  return usage_text(usage) + flag_help(table_of(std::move(flags)));
}

std::optional<std::vector<std::string>> read_verb_arguments(std::span<const std::string> arguments,
                                                            const VerbUsage& usage,
                                                            std::vector<FlagDefinition> flags,
                                                            std::ostream& out) {
  if (wants_help(arguments)) {
    out << verb_help(usage, std::move(flags));
    return std::nullopt;
  }
  return parse_flags(table_of(std::move(flags)), arguments, Positional::kAllowed, no_environment)
      .positional();
}

void refuse_words(const std::vector<std::string>& words, std::string_view verb) {
  if (!words.empty())
    fail(ExitCode::kUsage, "{} takes flags only, but '{}' was given", verb, words.front());
}

void check_record_file(const std::string& path, const char* verb) {
  if (path.empty()) return;
  if (!path.ends_with(".json"))
    fail(ExitCode::kUsage, "--output_file={}: the record of {} is JSON, so its name ends in .json",
         path, verb);
  check_output_file(path);
}

}  // namespace convoy::cli
