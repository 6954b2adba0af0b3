#pragma once

#include <span>
#include <string>

#include "core/cli/flags/flag_parser.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/context.hpp"

namespace convoy::cli {

// Finds the plug-ins for a command line, which may have --plugin_path.
plugin::Catalog scan_catalog(std::span<const std::string> arguments);

// --plugin_path for verbs without a job. It has no field: scan_catalog() finds its value.
FlagDefinition plugin_path_flag();
FlagDefinition plugin_path_flag(std::string& field);

// Makes a flag in that group of the help from an option that a plug-in declares.
FlagDefinition to_flag(const plugin::OptionDeclaration& option, const std::string& group);

// Returns the values that the command line gives to options of this plug-in.
plugin::OptionValues given_options(const plugin::Manifest& manifest, const ParsedFlags& flags);
// Returns the options of plug-ins in this list that the command line gives, with their values.
plugin::OptionValues given_values(const ParsedFlags& flags, std::span<const std::string> options);

}  // namespace convoy::cli
