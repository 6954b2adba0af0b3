#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/cli/flag_table.hpp"

namespace convoy {

// The value of every flag after parsing, in canonical form, defaults included. The accessors check
// that the flag exists with that type; the plain ones also that it has a value.
class ParsedFlags {
 public:
  explicit ParsedFlags(const FlagTable& table);

  // Given on the command line or in the environment.
  bool is_given(std::string_view name) const;

  bool boolean(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  std::string text(std::string_view name) const;  // of strings and enums
  std::optional<bool> optional_boolean(std::string_view name) const;
  std::optional<std::int64_t> optional_integer(std::string_view name) const;
  // The same for a field of fewer bits. Error(kUsage) naming the flag and the bounds when the value
  // does not fit.
  template <std::integral Number>
  Number integer_as(std::string_view name) const;
  template <std::integral Number>
  std::optional<Number> optional_integer_as(std::string_view name) const;
  std::optional<double> optional_number(std::string_view name) const;

  // Every honoured flag that has a value.
  std::map<std::string, std::string> effective() const;
  // Sentences about flags that were given but have no effect, for standard error.
  const std::vector<std::string>& notices() const { return notices_; }

  // Takes a value from `source` (as it is to be shown in an error). The last one wins.
  void assign(const FlagDefinition& flag, std::string_view value, const std::string& source);
  // After all values are there: applies refusals and notices.
  void settle();

 private:
  struct Entry {
    FlagDefinition flag;
    std::optional<std::string> value;
    std::string source;  // empty: the default
  };

  const Entry& entry(std::string_view name) const;
  const std::string* value(std::string_view name, std::initializer_list<FlagType> types) const;
  [[noreturn]] void fail_too_wide(std::string_view name, std::int64_t least,
                                  std::uint64_t most) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> notices_;
};

template <std::integral Number>
std::optional<Number> ParsedFlags::optional_integer_as(std::string_view name) const {
  const std::optional<std::int64_t> wide = optional_integer(name);
  if (!wide) return {};
  if (!std::in_range<Number>(*wide))
    fail_too_wide(name, std::is_signed_v<Number> ? std::numeric_limits<Number>::min() : 0,
                  std::numeric_limits<Number>::max());
  return static_cast<Number>(*wide);
}

template <std::integral Number>
Number ParsedFlags::integer_as(std::string_view name) const {
  return optional_integer_as<Number>(name).value();
}

// Gives the value of an environment variable, or null.
using EnvironmentLookup = std::function<const char*(const std::string&)>;
const char* system_environment(const std::string& name);

// Parses --x, --nox, --x=value and --x value (not for booleans); a single dash works too. The last
// occurrence wins. A flag that the command line does not give is taken from CONVOY_<NAME> if that
// is set and not empty. Error(kUsage) for unknown flags, bad values and anything that is not a
// flag.
ParsedFlags parse_flags(const FlagTable& table, std::span<const std::string> arguments,
                        const EnvironmentLookup& environment = system_environment);

// First pass, before plug-ins have added their flags: the last value that the command line, else
// the environment, gives to one flag that is not boolean. Everything else is passed over.
std::optional<std::string> find_flag(std::span<const std::string> arguments, std::string_view name,
                                     const EnvironmentLookup& environment = system_environment);

// Whether the command line asks for help (--help or -h), whatever else it holds.
bool wants_help(std::span<const std::string> arguments);

}  // namespace convoy
