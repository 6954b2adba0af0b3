#include "core/cli/plugin_flags.hpp"

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
  OptionValues values;
  const std::map<std::string, std::string> effective = flags.effective();
  for (const OptionDeclaration& option : manifest.options) {
    const auto value = effective.find(option.name);
    if (flags.is_given(option.name) && value != effective.end())
      values[option.name] = value->second;
  }
  return values;
}

}  // namespace convoy
