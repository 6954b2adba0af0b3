#include "core/cli/flag_parser.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace convoy {
namespace {

// One argument that looks like a flag.
struct Token {
  std::string name;
  std::optional<std::string> value;  // what follows '='
};

std::optional<Token> read_token(const std::string& argument) {
  const std::size_t dashes = argument.starts_with("--") ? 2 : argument.starts_with('-') ? 1 : 0;
  if (dashes == 0 || argument.size() == dashes) return {};
  const std::size_t equals = argument.find('=');
  Token token;
  token.name = argument.substr(dashes, equals == std::string::npos ? equals : equals - dashes);
  if (equals != std::string::npos) token.value = argument.substr(equals + 1);
  return token;
}

const FlagDefinition* find_negated(const FlagTable& table, const std::string& name) {
  if (!name.starts_with("no")) return nullptr;
  const FlagDefinition* flag = table.find(std::string_view(name).substr(2));
  return flag != nullptr && flag->type == FlagType::kBool ? flag : nullptr;
}

[[noreturn]] void fail_unknown(const FlagTable& table, const std::string& name) {
  const std::string nearest = table.nearest(name);
  if (nearest.empty()) {
    fail(ExitCode::kUsage, "unknown flag --{}; --help lists the flags", name);
  }
  fail(ExitCode::kUsage, "unknown flag --{}; did you mean --{}? --help lists the flags", name,
       nearest);
}

[[noreturn]] void fail_positional(const FlagTable& table, std::span<const std::string> arguments,
                                  std::size_t index) {
  const std::string& argument = arguments[index];
  if (index > 0) {
    const std::optional<Token> before = read_token(arguments[index - 1]);
    const FlagDefinition* flag = before ? table.find(before->name) : nullptr;
    if (flag != nullptr && flag->type == FlagType::kBool && !before->value) {
      fail(ExitCode::kUsage,
           "\"{}\" after --{}: a boolean flag takes no separate value; write --{}={} or --no{}",
           argument, before->name, before->name, argument, before->name);
    }
  }
  fail(ExitCode::kUsage, "\"{}\" is not a flag; flags start with --, as in --batch_size=32",
       argument);
}

// Reads the flag at index and gives the index behind it.
std::size_t read_flag(const FlagTable& table, std::span<const std::string> arguments,
                      std::size_t index, ParsedFlags& parsed) {
  const std::optional<Token> token = read_token(arguments[index]);
  if (!token) fail_positional(table, arguments, index);
  const FlagDefinition* flag = table.find(token->name);
  if (flag == nullptr) {
    flag = find_negated(table, token->name);
    if (flag == nullptr) fail_unknown(table, token->name);
    if (token->value) {
      fail(ExitCode::kUsage, "{}: write --{} without a value, or --{}=true or --{}=false",
           arguments[index], token->name, flag->name, flag->name);
    }
    parsed.assign(*flag, "false", arguments[index]);
    return index + 1;
  }
  if (token->value || flag->type == FlagType::kBool) {
    parsed.assign(*flag, token->value.value_or("true"), arguments[index]);
    return index + 1;
  }
  if (index + 1 == arguments.size() || arguments[index + 1].starts_with("--")) {
    fail(ExitCode::kUsage, "--{} needs a value: {}", token->name, describe_values(*flag));
  }
  parsed.assign(*flag, arguments[index + 1], "--" + token->name + "=" + arguments[index + 1]);
  return index + 2;
}

std::string environment_name(std::string_view flag) {
  std::string name = "CONVOY_" + std::string(flag);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return name;
}

std::optional<std::string> from_environment(std::string_view flag,
                                            const EnvironmentLookup& environment) {
  const char* value = environment(environment_name(flag));
  if (value == nullptr || *value == '\0') return {};
  return value;
}

}  // namespace

const char* system_environment(const std::string& name) {
  return std::getenv(name.c_str());
}

ParsedFlags parse_flags(const FlagTable& table, std::span<const std::string> arguments,
                        const EnvironmentLookup& environment) {
  ParsedFlags parsed(table);
  for (const FlagDefinition& flag : table.flags()) {
    if (const auto value = from_environment(flag.name, environment)) {
      parsed.assign(*table.find(flag.name), *value, environment_name(flag.name) + "=" + *value);
    }
  }
  for (std::size_t index = 0; index < arguments.size();) {
    index = read_flag(table, arguments, index, parsed);
  }
  parsed.settle();
  return parsed;
}

std::optional<std::string> find_flag(std::span<const std::string> arguments, std::string_view name,
                                     const EnvironmentLookup& environment) {
  std::optional<std::string> found = from_environment(name, environment);
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    const std::optional<Token> token = read_token(arguments[index]);
    if (!token || token->name != name) continue;
    if (token->value) {
      found = token->value;
    } else if (index + 1 < arguments.size()) {
      found = arguments[index + 1];
    }
  }
  return found;
}

bool wants_help(std::span<const std::string> arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return argument == "--help" || argument == "-h" || argument == "-help";
  });
}

}  // namespace convoy
