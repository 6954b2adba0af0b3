#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"

namespace convoy::report {

// What each section shows of one record of a run. Without data a list is empty.
std::string run_heading(const Json& record);
std::vector<std::string> run_verdict(const Subject& run);
std::vector<Tile> run_tiles(const Subject& run);
std::vector<ScalingPoint> run_scaling(const Json& record);
std::vector<Figure> step_figures(const Subject& run);
std::vector<Figure> timeline_figures(const Subject& run);
std::vector<Figure> breakdown_figures(const Subject& run);
std::vector<Figure> task_figures(const Subject& run);
std::vector<Figure> learning_figures(const Subject& run);
std::vector<Figure> resource_figures(const Subject& run);
std::vector<Figure> environment_figures(const Subject& run);

// Figures of a list of links, as runs and simulations have it.
std::vector<Figure> link_figures(const Subject& subject, const Json& links);
// A timeline as records keep it.
Timeline read_timeline(const Json& json, const std::string& title);

}  // namespace convoy::report
