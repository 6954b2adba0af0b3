#include "core/cli/flag_parser.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/base/error.hpp"

namespace convoy {
namespace {

std::string environment_name(const std::string& flag) {
  std::string name = "CONVOY_" + flag;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

void read_environment(const FlagTable& table, const EnvironmentLookup& lookup, FlagValues& values) {
  for (const auto& definition : table.definitions()) {
    if (!definition.from_environment) continue;
    const std::string variable = environment_name(definition.name);
    const auto text = lookup(variable);
    if (!text || text->empty()) continue;
    const std::string source = fmt::format("environment variable {}={}", variable, *text);
    values.set_given(definition.name, checked_value(definition, *text, source));
  }
}

// Walks over the arguments; one object for one command line.
class ArgumentReader {
 public:
  ArgumentReader(const FlagTable& table, std::span<const std::string> arguments,
                 const FlagParserOptions& options, FlagValues& values)
      : table_(table), arguments_(arguments), options_(options), values_(values) {}

  void read() {
    while (next_ < arguments_.size()) {
      const std::string& argument = arguments_[next_++];
      if (argument.size() > 1 && argument.front() == '-') {
        read_flag(argument);
      } else {
        read_positional(argument);
      }
    }
  }

 private:
  void read_flag(const std::string& argument) {
    std::string_view body = std::string_view(argument).substr(argument.starts_with("--") ? 2 : 1);
    const auto equals = body.find('=');
    const std::string_view name = body.substr(0, equals);
    std::optional<std::string_view> value;
    if (equals != std::string_view::npos) value = body.substr(equals + 1);
    if (name == "help" || name == "h" || name == "helpfull") {
      values_.help_requested = true;
    } else if (const FlagDefinition* flag = table_.find(name)) {
      read_value(*flag, argument, value);
    } else if (const FlagDefinition* negated = find_negated(name); negated && !value) {
      values_.set_given(negated->name, "false");
    } else if (!options_.tolerant) {
      fail_unknown(name);
    }
  }

  const FlagDefinition* find_negated(std::string_view name) const {
    if (!name.starts_with("no")) return nullptr;
    const FlagDefinition* flag = table_.find(name.substr(2));
    return flag != nullptr && flag->type == FlagType::kBool ? flag : nullptr;
  }

  void read_value(const FlagDefinition& flag, const std::string& argument,
                  std::optional<std::string_view> value) {
    std::string source = argument;
    if (!value && flag.type == FlagType::kBool) {
      value = "true";
    } else if (!value) {
      if (next_ == arguments_.size() || arguments_[next_].starts_with("--")) {
        fail(ExitCode::kUsage, "{0} needs a value: {0}=...", argument);
      }
      value = arguments_[next_++];
      source += fmt::format("={}", *value);
    }
    values_.set_given(flag.name, checked_value(flag, *value, source));
  }

  [[noreturn]] void fail_unknown(std::string_view name) const {
    if (const FlagDefinition* negated = find_negated(name)) {
      fail(ExitCode::kUsage, "--{} takes no value; write --{}=true or =false", name, negated->name);
    }
    if (name.starts_with("no") && table_.find(name.substr(2)) != nullptr) {
      fail(ExitCode::kUsage, "unknown flag --{}: --{} is not a boolean, so it has no 'no' form",
           name, name.substr(2));
    }
    const auto nearest = table_.nearest(name);
    fail(ExitCode::kUsage, "unknown flag --{}{}; --help lists all flags", name,
         nearest ? fmt::format(": did you mean --{}?", *nearest) : std::string());
  }

  void read_positional(const std::string& argument) {
    if (options_.tolerant) return;
    if (values_.positional.size() < options_.positional_limit) {
      values_.positional.push_back(argument);
      return;
    }
    const std::string previous = next_ > 1 ? arguments_[next_ - 2] : std::string();
    const auto name = previous.substr(std::min(previous.find_first_not_of('-'), previous.size()));
    const FlagDefinition* flag = table_.find(name);
    if (flag != nullptr && flag->type == FlagType::kBool) {
      fail(ExitCode::kUsage,
           "'{1}' after --{0} is not read as its value, because a boolean needs none; write "
           "--{0}={1}, --{0} or --no{0}",
           name, argument);
    }
    fail(ExitCode::kUsage, "'{}' is not a flag; flags start with --, as in --batch_size=32",
         argument);
  }

  const FlagTable& table_;
  std::span<const std::string> arguments_;
  const FlagParserOptions& options_;
  FlagValues& values_;
  std::size_t next_ = 0;
};

// Flags that are known but do nothing: an error or a notice once set to something of consequence.
void check_status(const FlagTable& table, FlagValues& values) {
  for (const auto& flag : table.definitions()) {
    if (flag.status == FlagStatus::kActive || !values.given(flag.name)) continue;
    const std::string& value = values.text(flag.name);
    if (value == flag.default_value.value_or("")) continue;
    const std::string shown = fmt::format("--{}={}", flag.name, value);
    switch (flag.status) {
      case FlagStatus::kNotYet:
        fail(ExitCode::kUnavailable, "{}: not yet: {}", shown, flag.reason);
      case FlagStatus::kMeaningless:
        fail(ExitCode::kUsage, "{} has no meaning here: {}", shown, flag.reason);
      default:
        values.notices.push_back(fmt::format("{} is ignored: {}", shown, flag.reason));
    }
  }
}

}  // namespace

EnvironmentLookup process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

FlagValues parse_flags(const FlagTable& table, std::span<const std::string> arguments,
                       const FlagParserOptions& options) {
  FlagValues values;
  for (const auto& definition : table.definitions()) {
    if (definition.default_value) values.set_default(definition.name, *definition.default_value);
  }
  read_environment(table, options.environment, values);
  ArgumentReader(table, arguments, options, values).read();
  if (!values.help_requested) check_status(table, values);
  return values;
}

}  // namespace convoy
