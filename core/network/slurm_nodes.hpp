#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy::network {

// The names in a list as Slurm compresses it: "rack[1-2]n[08-10,12],login". At most 65,536 names.
// Throws Error with exit code kUsage that names `variable` when the list cannot be read.
std::vector<std::string> expand_node_list(std::string_view list, std::string_view variable);

}  // namespace convoy::network
