#include "core/cli/verb_arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/nearest.hpp"

namespace convoy {
namespace {

const VerbFlag& find_flag(std::span<const VerbFlag> flags, const std::string& name) {
  const auto found = std::find_if(flags.begin(), flags.end(),
                                  [&](const VerbFlag& flag) { return flag.name == name; });
  if (found != flags.end()) return *found;
  std::vector<std::string> known;
  for (const VerbFlag& flag : flags) known.push_back(flag.name);
  const std::vector<std::string> nearest = nearest_names(name, known);
  if (nearest.empty()) {
    fail(ExitCode::kUsage, "unknown flag --{}; this command has --{}", name,
         fmt::join(known, ", --"));
  }
  fail(ExitCode::kUsage, "unknown flag --{}; did you mean --{}?", name, nearest.front());
}

}  // namespace

std::string VerbArguments::value(const std::string& flag) const {
  const auto found = flags.find(flag);
  return found == flags.end() ? std::string() : found->second;
}

VerbArguments parse_verb_arguments(std::span<const std::string> arguments,
                                   std::span<const VerbFlag> flags) {
  VerbArguments parsed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) {
      parsed.positional.push_back(argument);
      continue;
    }
    const std::size_t equals = std::min(argument.find('='), argument.size());
    const VerbFlag& flag = find_flag(flags, argument.substr(2, equals - 2));
    const bool has_value = equals < argument.size();
    if (!flag.takes_value && has_value) {
      fail(ExitCode::kUsage, "--{} takes no value, but '{}' was given", flag.name, argument);
    }
    std::string value = "true";
    if (has_value) {
      value = argument.substr(equals + 1);
    } else if (flag.takes_value) {
      if (i + 1 == arguments.size()) {
        fail(ExitCode::kUsage, "--{} needs a value: --{}=...", flag.name, flag.name);
      }
      value = arguments[++i];
    }
    parsed.flags[flag.name] = value;
  }
  return parsed;
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

}  // namespace convoy
