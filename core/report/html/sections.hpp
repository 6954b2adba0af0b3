#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"
#include "core/report/html/scaling_curves.hpp"

// The contents of each section of a page for one record, by kinds of records. A list is empty if
// there are no data.
namespace convoy::report {

// The sections of a run.
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

// Returns figures of a list of links, which runs and simulations have.
std::vector<Figure> link_figures(const Subject& subject, const Json& links);
// Reads a timeline in the form that records have.
Timeline read_timeline(const Json& json, const std::string& title);

// The sections of a comparison: strategies x numbers of devices x models.
std::string comparison_heading(const Json& record);
std::vector<std::string> comparison_verdict(const Subject& comparison);
std::vector<ScalingPoint> comparison_scaling(const Json& record);
// Returns, for every model, the rates by strategy and number of devices, the choices of auto, and
// the cells without a rate.
std::vector<Figure> comparison_tables(const Subject& comparison);

// The sections of a simulation. Sections about a step show the largest number of devices that fits.
std::string simulation_heading(const Json& record);
std::vector<std::string> simulation_verdict(const Subject& simulation);
std::vector<Tile> simulation_tiles(const Subject& simulation);
std::vector<ScalingPoint> simulation_scaling(const Json& record);
std::vector<Figure> simulation_timeline(const Subject& simulation);
std::vector<Figure> simulation_breakdown(const Subject& simulation);
std::vector<Figure> simulation_links(const Subject& simulation);
std::vector<Figure> simulation_memory(const Subject& simulation);
std::vector<Figure> simulation_environment(const Subject& simulation);

// The sections of a sweep: simulations of every combination of some flags' values.
std::string sweep_heading(const Json& record);
std::vector<std::string> sweep_verdict(const Subject& sweep);
std::vector<ScalingPoint> sweep_scaling(const Json& record);
std::vector<Figure> sweep_table(const Subject& sweep);

// Returns the origin of the rows of a comparison or a sweep, and how uncertain they are.
std::vector<Figure> rows_environment(const Subject& subject);

// The sections of the measurements of `convoy qualify`.
std::string qualification_heading(const Json& record);
std::vector<std::string> qualification_verdict(const Subject& qualification);
std::vector<Tile> qualification_tiles(const Subject& qualification);
// Returns what is slow and why, and the hosts ordered by their share of the expected rates.
std::vector<Figure> qualification_summary(const Subject& qualification);
// Returns every rate and its expected value, by kind.
std::vector<Figure> qualification_rates(const Subject& qualification);
std::vector<Figure> qualification_links(const Subject& qualification);
std::vector<Figure> qualification_collectives(const Subject& qualification);
std::vector<Figure> qualification_environment(const Subject& qualification);

}  // namespace convoy::report
