#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace convoy::job {

// "--a, --b: without effect, because ...", of those flags that are given; empty if none is.
std::string without_effect(std::initializer_list<std::pair<const char*, bool>> flags,
                           std::string_view why);

}  // namespace convoy::job
