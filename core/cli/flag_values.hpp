#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

// The values of a verb's flags after parsing, checked already: asking for a flag that has no value
// is a defect except through the optional_ functions. Names are the table's, never aliases.
class FlagValues {
 public:
  bool boolean(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  const std::string& text(std::string_view name) const;

  std::optional<bool> optional_boolean(std::string_view name) const;
  std::optional<std::int64_t> optional_integer(std::string_view name) const;
  std::optional<double> optional_number(std::string_view name) const;
  std::optional<std::string> optional_text(std::string_view name) const;

  // Whether the user set it, on the command line or in the environment.
  bool given(std::string_view name) const;

  // Every flag that has a value, for the run's record.
  std::map<std::string, std::string> effective() const;

  void set_default(const std::string& name, std::string value);
  void set_given(const std::string& name, std::string value);

  std::vector<std::string> positional;
  std::vector<std::string> notices;  // for standard error, one line each
  bool help_requested = false;

 private:
  struct Value {
    std::string text;
    bool given = false;
  };
  const Value* find(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace convoy
