#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"

namespace convoy::report {

// The sections of one record of a sweep: simulations of every combination of some flags' values.
std::string sweep_heading(const Json& record);
std::vector<std::string> sweep_verdict(const Subject& sweep);
std::vector<ScalingPoint> sweep_scaling(const Json& record);
std::vector<Figure> sweep_table(const Subject& sweep);

}  // namespace convoy::report
