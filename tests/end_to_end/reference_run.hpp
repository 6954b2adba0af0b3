#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace convoy {

nlohmann::json read_json(const std::string& path);

// The steps that a run of lenet from the reference fill and images of seed 1 records, without
// dropout and warm-up. `more` are further flags.
nlohmann::json reference_steps(const std::vector<std::string>& more);

}  // namespace convoy
