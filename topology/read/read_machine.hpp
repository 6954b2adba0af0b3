#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// Reads a machine from a file that lstopo, NCCL, nvidia-smi topo -m or convoy topo --json wrote.
// The content tells which of them. Throws Error (kUsage) for files that cannot be read or are none
// of these.
Machine read_machine(const std::filesystem::path& file);

// The same for a text; `source` names it.
Machine parse_machine(std::string_view text, const std::string& source);

}  // namespace convoy::topology
