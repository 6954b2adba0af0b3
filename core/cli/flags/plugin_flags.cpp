#include "core/cli/flags/plugin_flags.hpp"

#include <filesystem>

#include "core/base/error.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy {

Catalog scan_catalog(std::span<const std::string> arguments) {
  return installed_plugins(find_flag(arguments, "plugin_path").value_or(""));
}

namespace {

// Those of the flag alone.
std::vector<SearchEntry> named_entries(const std::string& plugin_path) {
  SearchSettings settings;
  settings.flag = plugin_path;
  return search_path(settings);
}

}  // namespace

void check_plugin_path(const std::string& plugin_path) {
  for (const SearchEntry& entry : named_entries(plugin_path)) {
    std::error_code ignored;
    if (!std::filesystem::exists(entry.path, ignored))
      fail(ExitCode::kUsage,
           "--plugin_path={}: {} does not exist; give folders or plug-ins with "
           "colons between them",
           plugin_path, entry.path.string());
  }
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
