#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy topo: the machine that the program runs on, or one that a file describes: as text, JSON or
// a picture, or in other programs' forms. The arguments are those after the verb. Returns the exit
// code; throws Error.
int run_topo_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
