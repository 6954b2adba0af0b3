#pragma once

#include <string>

#include "core/base/system/system_root.hpp"
#include "core/doctor/finding.hpp"

namespace convoy::doctor {

// All probes, in the order of the report. `deep`: plug-ins are loaded, too, each in a process of
// its own; otherwise none of their code runs. `gpu_indices`: the flag of a run whose GPUs are
// wanted; empty: none. Never throws for what is missing.
Findings examine(const SystemRoot& root, const std::string& plugin_path, bool deep,
                 const std::string& gpu_indices = {});

}  // namespace convoy::doctor
