#pragma once

#include <string>

#include "core/base/system/system_root.hpp"
#include "core/doctor/finding.hpp"

namespace convoy::doctor {

// Runs all probes, in the order of the report. `deep`: also loads plug-ins, each in a process of
// its own; otherwise none of their code runs. `gpu_indices`: the flag of a run whose GPUs are to be
// checked; empty: none. Never throws because something is missing.
Findings examine(const SystemRoot& root, const std::string& plugin_path, bool deep,
                 const std::string& gpu_indices = {});

}  // namespace convoy::doctor
