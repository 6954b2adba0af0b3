#pragma once

#include <string>
#include <vector>

#include "core/cli/verbs/verb_help.hpp"

namespace convoy::cli {

// What the numbers mean with which the program ends.
inline constexpr const char* kExitCodes =
    "0 ok, 1 failed, also what check finds wrong or unproved, 2 usage, 3 environment, device or "
    "plug-in missing or unusable, 4 threshold missed, 5 numerical failure, 6 timeout or peer lost, "
    "130 and 143 interrupted (Ctrl-C, SIGTERM) after a partial summary.";

// The manual page, for man(7), of these verbs.
std::string manual_page(const std::vector<VerbHelp>& verbs);

}  // namespace convoy::cli
