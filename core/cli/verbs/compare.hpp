#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace convoy {

// convoy compare: strategies x numbers of devices x models, run here or simulated on a described
// machine, as one table. Every cell is a process of its own, `convoy run` or `convoy simulate` with
// the remaining flags: a cell that is refused, does not fit or crashes cannot hurt the others, and
// each starts from the same clean state. The arguments are those after the verb. Returns the exit
// code: 0 if any cell has a rate, else the first one's; 130 or 143 when interrupted, after the
// cells so far. Throws Error.
int run_compare_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace convoy
