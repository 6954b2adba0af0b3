#pragma once

#include <string>

#include "core/base/system_root.hpp"
#include "core/doctor/finding.hpp"

namespace convoy::doctor {

// All probes, in the order of the report. `deep`: plug-ins are loaded, too, each in a process of
// its own; otherwise none of their code runs. Never throws for what is missing.
Findings examine(const SystemRoot& root, const std::string& plugin_path, bool deep);

}  // namespace convoy::doctor
