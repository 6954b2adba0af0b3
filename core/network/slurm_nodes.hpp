#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy::network {

// Returns the names in a compressed list of Slurm: "rack[1-2]n[08-10,12],login". There are at most
// 65,536. If the list cannot be read, throws Error (kUsage) that names `variable`.
std::vector<std::string> expand_node_list(std::string_view list, std::string_view variable);

}  // namespace convoy::network
