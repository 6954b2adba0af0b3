#pragma once

#include <vector>

#include "core/report/html/report.hpp"

namespace convoy::report {

// Returns the records in the form that a page contains: complete, except for data that would make
// the page too large. Steps are columns of numbers with seven digits, and only every k-th of very
// many steps is kept. "left_out" lists what is missing.
nlohmann::ordered_json embedded_data(const std::vector<NamedRecord>& records);

}  // namespace convoy::report
