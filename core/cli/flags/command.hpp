#pragma once

#include <convoy/job_options.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/plugin/catalog.hpp"

namespace convoy::cli {

// A parsed command line with the flags of `convoy run`.
struct JobCommand : RunCommand {
  plugin::Catalog catalog;           // the plug-ins that the command line finds
  std::vector<std::string> notices;  // about flags that have no effect
};

// A verb's own flags. They add to the flags of `convoy run` or replace some of them, and are bound
// to the command's options or to fields of the verb.
using VerbFlags = std::function<std::vector<FlagDefinition>(RunCommand& command)>;

// Reads flags in two passes: the second one knows the options that the chosen strategy, model and
// device declare. Error(kUsage) as parse_flags and for flags that contradict each other.
JobCommand read_command(std::span<const std::string> arguments, const VerbFlags& verb_flags = {});

// Returns the values of a flag that can be listed, for completion: words, names of plug-ins and
// platforms.
std::vector<std::string> flag_values(std::span<const std::string> arguments,
                                     const std::string& name);

// Returns the names of the installed plug-ins of these kinds, for completion.
std::vector<std::string> plugin_names(std::span<const std::string> arguments,
                                      std::span<const plugin::PluginKind> kinds);

// Returns the flags as `--help` shows them, with the options of the plug-ins that the arguments
// name. Flags that the verb refuses are only listed, at the end.
std::string command_help(std::span<const std::string> arguments, const VerbFlags& verb_flags = {},
                         std::span<const RefusedFlag> refused = {});

}  // namespace convoy::cli
