#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace convoy::job {

// Returns "--a, --b: without effect, because ..." for the flags that are given; empty if there are
// none.
std::string without_effect(std::initializer_list<std::pair<const char*, bool>> flags,
                           std::string_view why);

}  // namespace convoy::job
