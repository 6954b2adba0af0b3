#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/numbers/bounds.hpp"
#include "core/plugin/manifest.hpp"

namespace convoy::cli {

// A plug-in's option is a flag while the plug-in is selected.
using FlagType = plugin::OptionType;

// One flag as data: its type, its help, whether convoy honours it, and the field that takes its
// value. `bind.hpp` makes one from a field.
struct FlagDefinition {
  std::string name = {};  // without dashes
  FlagType type = FlagType::kString;
  std::optional<std::string> default_value = {};  // none: the flag is unset unless given
  std::string help = {};
  std::string group = {};  // heading in the help text
  bool common = false;     // help shows it without being asked for its topic
  Bounds bounds = {-std::numeric_limits<double>::infinity()};
  std::vector<std::string> allowed = {};  // kEnum: any letter case is accepted
  std::string alias_of = {};              // another name of that flag; only name and help count
  // A flag that says the same in another way: on the command line this one replaces its variable.
  std::string instead_of = {};

  // For flags that are known but have no effect. refusal: a value other than the default ends the
  // run with this sentence and refusal_code. notice: every value is accepted, and the sentence is
  // reported.
  std::string refusal = {};
  ExitCode refusal_code = ExitCode::kUsage;
  std::string notice = {};

  // Puts a given value, in canonical form, into its field; Error(kUsage) when it makes no sense.
  // Not called for defaults: fields have them already. Empty: ParsedFlags keeps the value.
  std::function<void(const std::string& value)> store = {};
};

// What the flag takes, for people: "an integer of at least 1", "cpu, gpu or auto".
std::string describe_values(const FlagDefinition& flag);

// The value in the form in which it is kept: true or false, numbers in their shortest form, enum
// values as declared. Error(kUsage) saying what the flag takes; source says where the value came
// from: "--batch_size=0".
std::string canonical_value(const FlagDefinition& flag, std::string_view value,
                            const std::string& source);

// Throws Error (kUsage) if a value of the list that a flag was given occurs twice: its row would
// stand twice in every table.
void require_distinct(const std::string& flag, const std::string& list,
                      const std::vector<std::string>& values);

}  // namespace convoy::cli
