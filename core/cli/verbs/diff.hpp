#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// `convoy diff`: whether one run is faster than another, with statistics.
int run_diff_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
