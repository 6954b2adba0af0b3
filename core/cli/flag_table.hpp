#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

enum class FlagType { kBool, kInteger, kFloat, kString, kEnum };

// What happens when a flag is set to something else than its default.
enum class FlagStatus {
  kActive,
  kIgnored,      // accepted with a notice: it changes no result
  kNotYet,       // an error with exit code kUnavailable
  kMeaningless,  // an error with exit code kUsage
};

struct FlagDefinition {
  std::string name;
  FlagType type = FlagType::kString;
  std::optional<std::string> default_value = {};  // none: the flag is unset unless given
  std::optional<double> minimum = {};             // inclusive, numbers only
  std::optional<double> maximum = {};
  std::vector<std::string> allowed = {};  // values of an enum, matched without regard to case
  std::vector<std::string> aliases = {};
  std::string group = {};  // heading in the help text
  std::string help = {};
  FlagStatus status = FlagStatus::kActive;
  std::string reason = {};       // of a status other than kActive: a clause for the message
  bool from_environment = true;  // whether CONVOY_<NAME> sets it
};

// The flags a verb knows, in the order of its help text. Plug-ins' options are added at run time,
// before parsing.
class FlagTable {
 public:
  // A name or alias that exists already is a defect.
  void add(FlagDefinition definition);

  // Adds an option that a plug-in declares. Several plug-ins may declare the same one: their
  // allowed values are united. It takes the place of a flag that is not active. Fails with
  // kUnavailable, naming the owner, if it clashes with a flag of convoy's own or has another type
  // elsewhere.
  void add_option(FlagDefinition definition, std::string_view owner);

  // By name or alias; null if there is none.
  const FlagDefinition* find(std::string_view name) const;

  // The known name with the smallest edit distance, if it is close enough to be a typing error.
  std::optional<std::string> nearest(std::string_view name) const;

  const std::deque<FlagDefinition>& definitions() const { return definitions_; }

 private:
  struct Option {
    std::string name;
    std::string owner;
  };
  FlagDefinition* find_mutable(std::string_view name);
  const Option* option(std::string_view name) const;

  std::deque<FlagDefinition> definitions_;  // addresses stay valid while flags are added
  std::vector<Option> options_;
};

// The form that options are stored in: "true" or "false", an allowed value as the table spells it,
// otherwise the text itself. `source` names flag and value in the error, "--batch_size=x".
std::string checked_value(const FlagDefinition& definition, std::string_view text,
                          std::string_view source);

}  // namespace convoy
