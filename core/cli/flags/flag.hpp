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
// value. `bind.hpp` makes such flags from fields.
struct FlagDefinition {
  std::string name = {};  // without dashes
  FlagType type = FlagType::kString;
  std::optional<std::string> default_value = {};  // none: the flag is unset unless it is given
  std::string help = {};
  std::string group = {};  // heading in the help text
  bool common = false;     // help shows it even without a topic
  Bounds bounds = {-std::numeric_limits<double>::infinity()};
  std::vector<std::string> allowed = {};  // kEnum: any letter case is accepted
  // The flag of which this is another name; name and help are the only members in use.
  std::string alias_of = {};
  // A flag that sets the same thing in another way. If this flag is on the command line, the
  // environment variable of the other one does not count.
  std::string instead_of = {};

  // For flags that are known but have no effect. refusal: a value other than the default ends the
  // run with this sentence and refusal_code. notice: every value is accepted, and the sentence is
  // reported.
  std::string refusal = {};
  ExitCode refusal_code = ExitCode::kUsage;
  std::string notice = {};

  // Stores a given value, in canonical form, in its field. Error(kUsage) if the value makes no
  // sense. It is not called for defaults, because fields have them already. Empty: ParsedFlags
  // keeps the value.
  std::function<void(const std::string& value)> store = {};
};

// Describes the values that the flag takes, for people: "an integer of at least 1", "cpu, gpu or
// auto".
std::string describe_values(const FlagDefinition& flag);

// Returns the value in canonical form: true or false, numbers in their shortest form, enum values
// as declared. Error(kUsage) says what the flag takes. `source` says where the value comes from:
// "--batch_size=0".
std::string canonical_value(const FlagDefinition& flag, std::string_view value,
                            const std::string& source);

// Throws Error (kUsage) if a flag's list has a value twice, because its row would appear twice in
// every table.
void require_distinct(const std::string& flag, const std::string& list,
                      const std::vector<std::string>& values);

}  // namespace convoy::cli
