#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"

namespace convoy::report {

// Of one record of a simulation. What is about a step is about that of the most devices that fit.
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
