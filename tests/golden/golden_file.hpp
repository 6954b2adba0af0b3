#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace convoy::testing {

// tests/golden/<model>.json. Throws when it cannot be read.
nlohmann::json read_golden(const std::string& model);

// The measures of deviation in which the files state their tolerances.
double loss_deviation(double actual, double reference);
double norm_deviation(double actual, double reference);

}  // namespace convoy::testing
