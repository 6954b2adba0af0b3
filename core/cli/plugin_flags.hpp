#pragma once

#include <string>

#include "core/cli/flag_parser.hpp"
#include "core/plugin/context.hpp"

namespace convoy {

// An option that a plug-in declares as a flag of that group of the help text.
FlagDefinition to_flag(const OptionDeclaration& option, const std::string& group);

// Values that the command line gives to options of this plug-in.
OptionValues given_options(const Manifest& manifest, const ParsedFlags& flags);

}  // namespace convoy
