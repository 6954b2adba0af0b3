#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy::job {

// Returns "--a, --b: without effect, because ..." for the flags that are given; empty if there are
// none.
std::string without_effect(const std::vector<std::pair<std::string, bool>>& flags,
                           std::string_view why);

}  // namespace convoy::job
