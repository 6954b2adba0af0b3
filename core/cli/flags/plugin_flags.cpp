#include "core/cli/flags/plugin_flags.hpp"

namespace convoy {

Catalog scan_catalog(std::span<const std::string> arguments) {
  return installed_plugins(find_flag(arguments, "plugin_path").value_or(""));
}

FlagDefinition to_flag(const OptionDeclaration& option, const std::string& group) {
  FlagDefinition flag;
  flag.name = option.name;
  flag.type = parse_flag_type(to_string(option.type));
  flag.default_value = option.default_value;
  flag.allowed = option.allowed;
  flag.help = option.help;
  flag.group = group;
  return flag;
}

OptionValues given_options(const Manifest& manifest, const ParsedFlags& flags) {
  std::vector<std::string> names;
  for (const OptionDeclaration& option : manifest.options) names.push_back(option.name);
  return given_values(flags, names);
}

OptionValues given_values(const ParsedFlags& flags, std::span<const std::string> options) {
  OptionValues values;
  const std::map<std::string, std::string> effective = flags.effective();
  for (const std::string& option : options)
    if (flags.is_given(option) && effective.contains(option)) values[option] = effective.at(option);
  return values;
}

}  // namespace convoy
