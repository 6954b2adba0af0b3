#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// `convoy doctor`: is this machine ready, and what to do. Exit code 0 when nothing failed, else 3.
int run_doctor_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
