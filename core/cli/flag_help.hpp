#pragma once

#include <string>
#include <string_view>

#include "core/cli/flag_table.hpp"

namespace convoy {

// The text of --help: `introduction`, then the active flags by group with type, default, bounds and
// allowed values, then the names of those that are accepted without effect or not available yet.
std::string flag_help(const FlagTable& table, std::string_view introduction);

}  // namespace convoy
