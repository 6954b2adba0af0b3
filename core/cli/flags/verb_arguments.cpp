#include "core/cli/flags/verb_arguments.hpp"

#include <fmt/format.h>

#include "core/cli/flags/flag_parser.hpp"

namespace convoy::cli {
namespace {

FlagTable table_of(std::span<const VerbFlag> flags) {
  FlagTable table;
  for (const VerbFlag& it : flags) {
    FlagDefinition flag;
    flag.name = it.name;
    if (!it.takes_value) flag.type = FlagType::kBool;
    table.add(std::move(flag));
  }
  return table;
}

}  // namespace

std::string VerbArguments::value(const std::string& flag) const {
  const auto found = flags.find(flag);
  return found == flags.end() ? std::string() : found->second;
}

VerbArguments parse_verb_arguments(std::span<const std::string> arguments,
                                   std::span<const VerbFlag> flags) {
  const ParsedFlags parsed = parse_flags(table_of(flags), arguments, Positional::kAllowed,
                                         [](const std::string&) { return nullptr; });
  VerbArguments result;
  result.positional = parsed.positional();
  for (const VerbFlag& flag : flags)
    if (parsed.is_given(flag.name) && (flag.takes_value || parsed.value(flag.name) == "true"))
      result.flags[flag.name] = parsed.value(flag.name);
  return result;
}

std::string verb_help(std::string_view form, std::string_view summary,
                      std::span<const VerbFlag> flags) {
  std::string text = fmt::format("usage: convoy {}\n\n{}\n\n", form, summary);
  for (const VerbFlag& flag : flags) {
    const std::string spelled = flag.name + (flag.takes_value ? "=..." : "");
    text += fmt::format("  --{:<20} {}\n", spelled, flag.help);
  }
  return text;
}

}  // namespace convoy::cli
