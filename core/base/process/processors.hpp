#pragma once

#include <vector>

namespace convoy {

// Returns the numbers of the processing units that this process may use, ascending and never empty.
// taskset, a launcher of several tasks or a control group may allow fewer than the machine has.
// std::thread::hardware_concurrency does not ask: it counts those of the machine.
std::vector<unsigned> usable_processors();

// Returns how many there are: at least 1.
unsigned count_usable_processors();

}  // namespace convoy
