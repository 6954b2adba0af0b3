#pragma once

#include <span>
#include <string>

#include "core/cli/flags/flag_parser.hpp"
#include "core/plugin/catalog.hpp"
#include "core/plugin/context.hpp"

namespace convoy::cli {

// The plug-ins that a command line finds, with its --plugin_path.
plugin::Catalog scan_catalog(std::span<const std::string> arguments);

// --plugin_path for verbs without a job; without a field, scan_catalog() finds its value.
FlagDefinition plugin_path_flag();
FlagDefinition plugin_path_flag(std::string& field);

// An option that a plug-in declares as a flag of that group of the help text.
FlagDefinition to_flag(const plugin::OptionDeclaration& option, const std::string& group);

// Values that the command line gives to options of this plug-in.
plugin::OptionValues given_options(const plugin::Manifest& manifest, const ParsedFlags& flags);
// The options of plug-ins in this list that the command line gives, with their values.
plugin::OptionValues given_values(const ParsedFlags& flags, std::span<const std::string> options);

}  // namespace convoy::cli
