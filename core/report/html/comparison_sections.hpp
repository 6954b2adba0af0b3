#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"

namespace convoy::report {

// The sections of one record of a comparison: strategies x numbers of devices x models.
std::string comparison_heading(const Json& record);
std::vector<std::string> comparison_verdict(const Subject& comparison);
std::vector<ScalingPoint> comparison_scaling(const Json& record);
std::vector<Figure> comparison_table(const Subject& comparison);

// Curves of all points, one chart of rates and one of efficiency per model. Points of one curve
// with the same number of devices are repeats of each other: their median with its range.
std::vector<Figure> scaling_figures(const std::vector<ScalingPoint>& points);

}  // namespace convoy::report
