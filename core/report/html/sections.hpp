#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"

// What each section of a page shows of one record, by kinds of records. Without data a list is
// empty.
namespace convoy::report {

// A run.
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

// A comparison: strategies x numbers of devices x models.
std::string comparison_heading(const Json& record);
std::vector<std::string> comparison_verdict(const Subject& comparison);
std::vector<ScalingPoint> comparison_scaling(const Json& record);
// Rates by strategy and number of devices for every model, what auto took, what has no rate.
std::vector<Figure> comparison_tables(const Subject& comparison);

// A simulation. Sections about a step show the largest number of devices that fits.
std::string simulation_heading(const Json& record);
std::vector<std::string> simulation_verdict(const Subject& simulation);
std::vector<Tile> simulation_tiles(const Subject& simulation);
std::vector<ScalingPoint> simulation_scaling(const Json& record);
std::vector<Figure> simulation_timeline(const Subject& simulation);
std::vector<Figure> simulation_breakdown(const Subject& simulation);
std::vector<Figure> simulation_links(const Subject& simulation);
std::vector<Figure> simulation_memory(const Subject& simulation);
std::vector<Figure> simulation_environment(const Subject& simulation);

// A sweep: simulations of every combination of some flags' values.
std::string sweep_heading(const Json& record);
std::vector<std::string> sweep_verdict(const Subject& sweep);
std::vector<ScalingPoint> sweep_scaling(const Json& record);
std::vector<Figure> sweep_table(const Subject& sweep);

// Where the rows of a comparison or a sweep come from, and how uncertain they are.
std::vector<Figure> rows_environment(const Subject& subject);

// What `convoy qualify` has measured.
std::string qualification_heading(const Json& record);
std::vector<std::string> qualification_verdict(const Subject& qualification);
std::vector<Tile> qualification_tiles(const Subject& qualification);
// What is slow and why, and the hosts by how much of what they should reach they reach.
std::vector<Figure> qualification_summary(const Subject& qualification);
// Every rate beside what was foreseen, by kind.
std::vector<Figure> qualification_rates(const Subject& qualification);
std::vector<Figure> qualification_links(const Subject& qualification);
std::vector<Figure> qualification_collectives(const Subject& qualification);
std::vector<Figure> qualification_environment(const Subject& qualification);

}  // namespace convoy::report
