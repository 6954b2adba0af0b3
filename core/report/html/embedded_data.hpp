#pragma once

#include <vector>

#include "core/report/html/report.hpp"

namespace convoy::report {

// The records as a page carries them: complete but for what would make the page too large. Steps
// are columns of numbers with seven digits, every k-th of very many; "left_out" says what is not
// there.
nlohmann::ordered_json embedded_data(const std::vector<NamedRecord>& records);

}  // namespace convoy::report
