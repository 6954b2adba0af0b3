#pragma once

#include <vector>

#include "core/report/html/record_fields.hpp"
#include "core/report/html/report.hpp"

namespace convoy::report {

// The sections of one record of `convoy qualify`.
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
