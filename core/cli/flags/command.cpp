#include "core/cli/flags/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/text/split.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/plugin_flags.hpp"
#include "core/job/model_choice.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/plugin/search_path.hpp"
#include "core/select/candidate.hpp"
#include "topology/catalogue/platform.hpp"

namespace convoy::cli {
namespace {

// The flag table for one command line, and the options of plug-ins in it.
class CommandTable {
 public:
  CommandTable(std::span<const std::string> arguments, const plugin::Catalog& catalog,
               RunCommand& command, const VerbFlags& verb_flags)
      : table_(run_flag_table(command)) {
    if (verb_flags) use_verb_flags(verb_flags(command));
    const std::string strategy =
        find_flag(arguments, "variable_update").value_or(select::kAutoStrategy);
    const NamedPlugins named = {{plugin::PluginKind::kStrategy, {strategy}},
                                {plugin::PluginKind::kModel, {model_of(catalog, arguments)}},
                                {plugin::PluginKind::kDevice,
                                 {find_flag(arguments, "device").value_or(plugin::kAnyDevice)}},
                                {plugin::PluginKind::kTransport,
                                 split(find_flag(arguments, "transport").value_or(""), ',')}};
    add_installed(catalog, named, strategy == select::kAutoStrategy);
    for (const auto& [kind, names] : named)
      for (const std::string& name : names) add_named_file(catalog, kind, name);
    add_missing_strategy_flags(table_, strategy, option_owners(catalog));
  }

  const FlagTable& table() const { return table_; }
  const std::vector<std::string>& plugin_options() const { return plugin_options_; }

 private:
  using NamedPlugins = std::map<plugin::PluginKind, std::vector<std::string>>;

  // The verb's flags replace those of run, such as --hosts, which only run refuses.
  void use_verb_flags(std::vector<FlagDefinition> flags) {
    for (FlagDefinition& flag : flags) flag.common = true;
    table_.replace_all(std::move(flags));
  }

  // Returns the plug-in of the model that the command line asks for; empty if it asks for none.
  static std::string model_of(const plugin::Catalog& catalog,
                              std::span<const std::string> arguments) {
    const auto text = [&](const char* flag) { return find_flag(arguments, flag).value_or(""); };
    return job::model_plugin_name(catalog, text("model"), text("data_name"), text("data_dir"));
  }

  // Returns the strategies that declare each option.
  static std::map<std::string, OptionOwners> option_owners(const plugin::Catalog& catalog) {
    std::map<std::string, OptionOwners> owners;
    for (const plugin::FoundPlugin& plugin : catalog.plugins()) {
      if (plugin.manifest.kind != plugin::PluginKind::kStrategy) continue;
      for (const plugin::OptionDeclaration& option : plugin.manifest.options) {
        owners[option.name].is_switch = option.type == plugin::OptionType::kBool;
        owners[option.name].strategies.push_back(plugin.manifest.name);
      }
    }
    return owners;
  }

  // With auto, options restrict the candidates to the strategies that declare them. So the options
  // of all installed strategies are known, and always those of devices and transports.
  void add_installed(const plugin::Catalog& catalog, const NamedPlugins& named, bool is_auto) {
    for (const plugin::FoundPlugin& plugin : catalog.plugins()) {
      const plugin::Manifest& manifest = plugin.manifest;
      const bool is_strategy = manifest.kind == plugin::PluginKind::kStrategy;
      const bool is_model = manifest.kind == plugin::PluginKind::kModel;
      if (std::ranges::count(named.at(manifest.kind), manifest.name) > 0)
        add_options(manifest, Origin::kNamed);
      else if (!is_model && (!is_strategy || is_auto))
        add_options(manifest, Origin::kFound);
    }
  }

  // Adds the options of a plug-in that is named by the path of its file.
  void add_named_file(const plugin::Catalog& catalog, plugin::PluginKind kind,
                      const std::string& name) {
    if (name.find('/') != std::string::npos)
      add_options(catalog.find(kind, name).manifest, Origin::kNamed);
  }

  // An option whose name is another name of a flag cannot be given. A plug-in that the user named
  // is refused then; one that was only found keeps the option's default.
  enum class Origin { kNamed, kFound };
  void add_options(const plugin::Manifest& manifest, Origin origin) {
    const std::string group = fmt::format("{} {}", plugin::to_string(manifest.kind), manifest.name);
    for (const plugin::OptionDeclaration& option : manifest.options) {
      const FlagDefinition* const known = table_.find(option.name);
      if (known != nullptr && known->name != option.name) {
        if (origin == Origin::kFound) continue;
        fail(ExitCode::kUnavailable,
             "{}: its option {} is another name of --{}; rename the plug-in's option", group,
             option.name, known->name);
      }
      const bool is_shared =
          std::ranges::find(plugin_options_, option.name) != plugin_options_.end();
      plugin_options_.push_back(option.name);
      if (known == nullptr)
        table_.add(to_flag(option, group));
      else if (is_shared && known->group != group)
        table_.add_namesake(to_flag(option, group));
    }
  }

  FlagTable table_;
  std::vector<std::string> plugin_options_;
};

}  // namespace

namespace {

// Refuses a strategy name of tf_cnn_benchmarks, unless there is a plug-in of that name.
void check_strategy(const plugin::Catalog& catalog, std::span<const std::string> arguments) {
  const std::string name = find_flag(arguments, "variable_update").value_or(select::kAutoStrategy);
  const std::vector<std::string> installed = catalog.names(plugin::PluginKind::kStrategy);
  if (std::ranges::find(installed, name) == installed.end()) refuse_historical_strategy(name);
}

}  // namespace

JobCommand read_command(std::span<const std::string> arguments, const VerbFlags& verb_flags) {
  plugin::Catalog catalog = scan_catalog(arguments);
  check_strategy(catalog, arguments);
  RunCommand command;
  const CommandTable table(arguments, catalog, command, verb_flags);
  const ParsedFlags flags = parse_flags(table.table(), arguments);
  complete(command, flags, table.plugin_options());
  std::vector<std::string> notices = flags.notices();
  std::ranges::move(notices_on_other_optimizers(flags), std::back_inserter(notices));
  return {std::move(command), std::move(catalog), std::move(notices)};
}

std::string command_help(std::span<const std::string> arguments, const VerbFlags& verb_flags,
                         std::span<const RefusedFlag> refused) {
  RunCommand command;
  FlagTable table = CommandTable(arguments, scan_catalog(arguments), command, verb_flags).table();
  for (const RefusedFlag& flag : refused) table.refuse(flag.name, flag.reason);
  return flag_help(table, help_topic(arguments));
}

std::vector<std::string> plugin_names(std::span<const std::string> arguments,
                                      std::span<const plugin::PluginKind> kinds) {
  const plugin::Catalog catalog = scan_catalog(arguments);
  std::vector<std::string> names;
  for (const plugin::PluginKind kind : kinds)
    for (std::string& name : catalog.names(kind)) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> flag_values(std::span<const std::string> arguments,
                                     const std::string& name) {
  RunCommand command;
  const plugin::Catalog catalog = scan_catalog(arguments);
  const CommandTable table(arguments, catalog, command, {});
  std::vector<std::string> values;
  for (const auto& [flag, kind] : {std::pair{"variable_update", plugin::PluginKind::kStrategy},
                                   {"model", plugin::PluginKind::kModel},
                                   {"device", plugin::PluginKind::kDevice}})
    if (name == flag) values = catalog.names(kind);
  if (name == "variable_update" || name == "device") values.emplace_back(select::kAutoStrategy);
  if (name == "platform")
    values = topology::platform_names(plugin::share_directory() / "platforms");
  const FlagDefinition* flag = table.table().find(name);
  if (values.empty() && flag != nullptr) values = flag->allowed;
  if (flag != nullptr && flag->type == FlagType::kBool) values = {"true", "false"};
  return values;
}

}  // namespace convoy::cli
