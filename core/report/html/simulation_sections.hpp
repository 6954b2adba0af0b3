#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"

namespace convoy::report {

// The sections of one record of a simulation. Those about a step show the largest number of devices
// that fits.
std::string simulation_heading(const Json& record);
std::vector<std::string> simulation_verdict(const Subject& simulation);
std::vector<Tile> simulation_tiles(const Subject& simulation);
std::vector<ScalingPoint> simulation_scaling(const Json& record);
std::vector<Figure> simulation_timeline(const Subject& simulation);
std::vector<Figure> simulation_breakdown(const Subject& simulation);
std::vector<Figure> simulation_links(const Subject& simulation);
std::vector<Figure> simulation_memory(const Subject& simulation);
std::vector<Figure> simulation_environment(const Subject& simulation);

}  // namespace convoy::report
