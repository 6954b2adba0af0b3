#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"

namespace convoy::report {

// The sections of one record of a comparison: strategies x numbers of devices x models.
std::string comparison_heading(const Json& record);
std::vector<std::string> comparison_verdict(const Subject& comparison);
std::vector<ScalingPoint> comparison_scaling(const Json& record);
// Rates by strategy and number of devices for every model, what auto took, what has no rate.
std::vector<Figure> comparison_tables(const Subject& comparison);

}  // namespace convoy::report
