#pragma once

#include <string_view>
#include <vector>

namespace convoy::qualify {

// The numbers of a list such as "0-3,8", as the kernel and hwloc write it. Empty for other texts
// and for numbers that are too large for any machine.
std::vector<unsigned> parse_core_list(std::string_view list);

}  // namespace convoy::qualify
