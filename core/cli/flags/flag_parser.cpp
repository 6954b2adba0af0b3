#include "core/cli/flags/flag_parser.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <cstdlib>
#include <utility>

namespace convoy::cli {
namespace {

constexpr const char* kHelpTopic = "--help=";

namespace po = boost::program_options;

constexpr int kStyle =
    po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
    po::command_line_style::long_allow_next | po::command_line_style::allow_long_disguise;

// A token that looks like a flag.
struct Token {
  std::string name;
  std::optional<std::string> value;  // the text after '='
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
  if (nearest.empty()) fail(ExitCode::kUsage, "unknown flag --{}; --help lists the flags", name);
  fail(ExitCode::kUsage, "unknown flag --{}; did you mean --{}? --help lists the flags", name,
       nearest);
}

// Handles what the library cannot: --nox, booleans that must not take the next word, "--x=", and
// "--", which it hides.
std::vector<po::option> read_special_forms(const FlagTable& table,
                                           std::vector<std::string>& arguments) {
  const std::optional<Token> token = read_token(arguments.front());
  if (!token && arguments.front() != "--") return {};
  po::option option;
  option.original_tokens = {arguments.front()};
  if (!token) {
    arguments.erase(arguments.begin());
    return {option};
  }
  if (token->name.empty())  // every flag begins like that, so the library would find one
    fail(ExitCode::kUsage, "{}: there is no flag's name before the =; write --batch_size=32",
         arguments.front());
  const FlagDefinition* flag = table.find(token->name);
  const FlagDefinition* negated = flag == nullptr ? find_negated(table, token->name) : nullptr;
  if (negated != nullptr && token->value)
    fail(ExitCode::kUsage, "{}: write --{} without a value, or --{}=true or --{}=false",
         arguments.front(), token->name, negated->name, negated->name);
  const bool boolean = flag != nullptr && flag->type == FlagType::kBool;
  if (negated == nullptr && !boolean && token->value != "") return {};
  option.string_key = negated != nullptr ? negated->name : token->name;
  option.value = {negated != nullptr ? "false" : token->value.value_or("true")};
  arguments.erase(arguments.begin());
  return {option};
}

po::options_description described(const FlagTable& table) {
  po::options_description description;
  for (const FlagDefinition& flag : table.flags())
    description.add_options()(flag.name.c_str(), po::value<std::string>());
  return description;
}

[[noreturn]] void fail_without_value(const FlagDefinition& flag) {
  const bool is_text = flag.type == FlagType::kString;
  fail(ExitCode::kUsage, "--{} needs a value{}", flag.name,
       is_text ? fmt::format(", as in --{}=VALUE", flag.name) : ": " + describe_values(flag));
}

std::vector<po::option> tokenize(const FlagTable& table, std::span<const std::string> arguments) {
  const po::options_description description = described(table);
  po::command_line_parser parser(std::vector<std::string>(arguments.begin(), arguments.end()));
  parser.options(description).style(kStyle).allow_unregistered();
  parser.extra_style_parser(
      [&table](std::vector<std::string>& rest) { return read_special_forms(table, rest); });
  try {
    return parser.run().options;
  } catch (const po::invalid_command_line_syntax& error) {
    const std::string name = error.get_option_name();
    const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
    const FlagDefinition* flag = table.find(bare);
    if (flag == nullptr) fail_unknown(table, bare);
    fail_without_value(*flag);
  }
}

std::optional<std::string> from_environment(std::string_view flag,
                                            const EnvironmentLookup& environment) {
  const char* value = environment(environment_name(flag));
  if (value == nullptr || *value == '\0') return {};
  return value;
}

}  // namespace

// Fills a ParsedFlags.
class FlagParser {
 public:
  FlagParser(const FlagTable& table, Positional positional)
      : table_(table), positional_(positional) {
    for (const FlagDefinition& flag : table.flags())
      if (flag.alias_of.empty()) parsed_.entries_[flag.name] = {flag, flag.default_value, {}};
  }

  void read_environment(const EnvironmentLookup& environment) {
    for (const FlagDefinition& flag : table_.flags())
      if (const auto value = from_environment(flag.name, environment))
        assign(*table_.find(flag.name), *value, environment_name(flag.name) + "=" + *value);
  }

  void read_arguments(std::span<const std::string> arguments) {
    const po::option* before = nullptr;
    const std::vector<po::option> options = tokenize(table_, arguments);
    for (const po::option& option : options) {
      read_option(option, before);
      before = &option;
    }
  }

  // Called once all values are known: applies refusals and notices and sets the fields.
  ParsedFlags settle() {
    for (const auto& [name, entry] : parsed_.entries_) {
      if (entry.source.empty()) continue;
      const bool changed = entry.value != entry.flag.default_value;
      if (changed && !entry.flag.refusal.empty())
        fail(entry.flag.refusal_code, "{}: {}", entry.source, entry.flag.refusal);
      if (changed && !entry.flag.notice.empty())
        parsed_.notices_.push_back(fmt::format("{}: {}", entry.source, entry.flag.notice));
    }
    for (const auto& [name, entry] : parsed_.entries_)
      if (!entry.source.empty() && entry.flag.store) entry.flag.store(*entry.value);
    return std::move(parsed_);
  }

 private:
  void read_option(const po::option& option, const po::option* before) {
    const std::vector<std::string>& tokens = option.original_tokens;
    if (option.string_key.empty()) return read_positional(tokens.front(), before);
    if (option.unregistered) fail_unknown(table_, option.string_key);
    const FlagDefinition& flag = *table_.find(option.string_key);
    if (tokens.size() > 1 && tokens[1].starts_with("--")) fail_without_value(flag);
    const std::string& value = option.value.front();
    assign(flag, value,
           tokens.size() > 1 ? fmt::format("--{}={}", option.string_key, value) : tokens.front());
    drop_variable(flag.instead_of);
  }

  // The command line takes precedence over the environment.
  void drop_variable(const std::string& name) {
    const auto found = parsed_.entries_.find(name);
    if (found == parsed_.entries_.end()) return;
    ParsedFlags::Entry& it = found->second;
    if (it.source.starts_with(environment_name(name) + "="))
      it = {it.flag, it.flag.default_value, {}};
  }

  void read_positional(const std::string& argument, const po::option* before) {
    const std::optional<Token> token = read_token(argument);
    if (token) fail_unknown(table_, token->name);
    if (positional_ == Positional::kAllowed) return parsed_.positional_.push_back(argument);
    if (const std::size_t equals = argument.find('=');
        equals != std::string::npos && table_.contains(argument.substr(0, equals)))
      fail(ExitCode::kUsage, "\"{}\" is not a flag; did you mean --{}?", argument, argument);
    const FlagDefinition* flag = before == nullptr ? nullptr : table_.find(before->string_key);
    if (flag != nullptr && flag->type == FlagType::kBool &&
        before->original_tokens.front().find('=') == std::string::npos)
      fail(ExitCode::kUsage,
           "\"{}\" after {}: a boolean flag takes no separate value; write --{}={} or --no{}",
           argument, before->original_tokens.front(), flag->name, argument, flag->name);
    if (argument.ends_with(".so") && table_.contains("variable_update"))
      fail(ExitCode::kUsage,
           "\"{0}\" is not a flag; did you mean --variable_update={0}, or --device={0}?", argument);
    if (argument.ends_with(".json"))
      fail(ExitCode::kUsage,
           "\"{0}\" is not a flag; records are read by convoy diff OLD NEW and convoy report {0}",
           argument);
    fail(ExitCode::kUsage, "\"{}\" is not a flag; flags look like --batch_size=32", argument);
  }

  void assign(const FlagDefinition& flag, const std::string& value, const std::string& source) {
    ParsedFlags::Entry& entry = parsed_.entries_.at(flag.name);
    entry.value = canonical_value(flag, value, source);
    entry.source = source;
  }

  const FlagTable& table_;
  Positional positional_;
  ParsedFlags parsed_;
};

const ParsedFlags::Entry& ParsedFlags::entry(std::string_view name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    detail::check_failed("the flag is in the table", __FILE__, __LINE__, std::string(name));
  return found->second;
}

bool ParsedFlags::is_given(std::string_view name) const {
  return !entry(name).source.empty();
}

const std::string& ParsedFlags::value(std::string_view name) const {
  static const std::string kNone;
  const Entry& found = entry(name);
  return found.value ? *found.value : kNone;
}

std::map<std::string, std::string> ParsedFlags::effective() const {
  std::map<std::string, std::string> values;
  for (const auto& [name, entry] : entries_)
    if (entry.value && entry.flag.refusal.empty() && entry.flag.notice.empty())
      values[name] = *entry.value;
  return values;
}

std::string environment_name(std::string_view flag) {
  std::string name = "CONVOY_" + std::string(flag);
  std::ranges::transform(name, name.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return name;
}

const char* system_environment(const std::string& name) {
  return std::getenv(name.c_str());
}

const char* no_environment(const std::string&) {
  return nullptr;
}

ParsedFlags parse_flags(const FlagTable& table, std::span<const std::string> arguments,
                        Positional positional, const EnvironmentLookup& environment) {
  FlagParser parser(table, positional);
  parser.read_environment(environment);
  parser.read_arguments(arguments);
  return parser.settle();
}

std::optional<std::string> find_flag(std::span<const std::string> arguments, FlagDefinition wanted,
                                     const EnvironmentLookup& environment) {
  const std::string name = wanted.name;
  const std::string other = wanted.instead_of;
  FlagTable table;
  table.add(std::move(wanted));
  std::optional<std::string> found;
  bool other_is_given = false;
  for (const po::option& option : tokenize(table, arguments)) {
    if (option.string_key == name) found = option.value.front();
    if (!other.empty() && option.string_key == other) other_is_given = true;
  }
  return found || other_is_given ? found : from_environment(name, environment);
}

std::optional<std::string> find_flag(std::span<const std::string> arguments, std::string_view name,
                                     const EnvironmentLookup& environment) {
  FlagDefinition wanted;
  wanted.name = name;
  return find_flag(arguments, std::move(wanted), environment);
}

bool find_switch(std::span<const std::string> arguments, std::string_view name,
                 const EnvironmentLookup& environment) {
  FlagDefinition wanted;
  wanted.name = name;
  wanted.type = FlagType::kBool;
  const auto found = find_flag(arguments, wanted, environment);
  return found && canonical_value(wanted, *found, wanted.name + "=" + *found) == "true";
}

std::vector<std::string> notices_on_variables(std::span<const std::string_view> flags,
                                              std::string_view reason,
                                              const EnvironmentLookup& environment) {
  std::vector<std::string> notices;
  for (const std::string_view flag : flags)
    if (const auto value = from_environment(flag, environment))
      notices.push_back(
          fmt::format("{}={}: without effect, {}", environment_name(flag), *value, reason));
  return notices;
}

bool wants_help(std::span<const std::string> arguments) {
  return std::ranges::any_of(arguments, [](const std::string& argument) {
    return argument == "--help" || argument == "-h" || argument == "-help" ||
           argument.starts_with(kHelpTopic);
  });
}

std::string help_topic(std::span<const std::string> arguments) {
  for (const std::string& argument : arguments)
    if (argument.starts_with(kHelpTopic)) return argument.substr(std::string(kHelpTopic).size());
  return {};
}

}  // namespace convoy::cli
