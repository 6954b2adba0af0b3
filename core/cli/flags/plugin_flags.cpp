#include "core/cli/flags/plugin_flags.hpp"

#include "core/base/error.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::cli {
namespace {

// Files that the user names must be usable. Folders may contain other files.
void require_usable(const std::string& plugin_path, const plugin::Catalog& catalog) {
  plugin::SearchSettings flag_alone;
  flag_alone.flag = plugin_path;
  for (const plugin::SearchEntry& entry : plugin::search_path(flag_alone))
    for (const plugin::RejectedPlugin& rejected : catalog.rejected())
      if (rejected.path == entry.path)
        fail(ExitCode::kUnavailable, "--plugin_path={}: {} is not usable: {}", plugin_path,
             entry.path.string(), rejected.reason);
}

}  // namespace

FlagDefinition plugin_path_flag() {
  FlagDefinition flag;
  flag.name = "plugin_path";
  flag.default_value = "";
  flag.help = "Files and directories to look for plug-ins in first, separated by ':'.";
  return flag;
}

FlagDefinition plugin_path_flag(std::string& field) {
  const FlagDefinition flag = plugin_path_flag();
  return bind_flag(flag.name, field, flag.help);
}

plugin::Catalog scan_catalog(std::span<const std::string> arguments) {
  const std::string plugin_path = find_flag(arguments, "plugin_path").value_or("");
  plugin::Catalog catalog = plugin::installed_plugins(plugin_path);
  require_usable(plugin_path, catalog);
  return catalog;
}

FlagDefinition to_flag(const plugin::OptionDeclaration& option, const std::string& group) {
  FlagDefinition flag;
  flag.name = option.name;
  flag.type = option.type;
  flag.default_value = option.default_value;
  flag.allowed = option.allowed;
  flag.help = option.help;
  flag.group = group;
  return flag;
}

plugin::OptionValues given_options(const plugin::Manifest& manifest, const ParsedFlags& flags) {
  std::vector<std::string> names;
  for (const plugin::OptionDeclaration& option : manifest.options) names.push_back(option.name);
  return given_values(flags, names);
}

plugin::OptionValues given_values(const ParsedFlags& flags, std::span<const std::string> options) {
  plugin::OptionValues values;
  const std::map<std::string, std::string> effective = flags.effective();
  for (const std::string& option : options)
    if (flags.is_given(option) && effective.contains(option)) values[option] = effective.at(option);
  return values;
}

}  // namespace convoy::cli
