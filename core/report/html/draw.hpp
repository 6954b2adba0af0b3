#pragma once

#include <string>

#include "core/report/html/figure.hpp"

namespace convoy::report {

// Draws figures as SVG, in pixels, for a page whose style sheet has the classes of report.css.
// Every mark of data has the class "m". The attribute data-points gives the number of data that the
// picture shows.
std::string draw(const LineChart& chart, double width);
std::string draw(const Histogram& chart, double width);
std::string draw(const BarChart& chart, double width);
std::string draw(const TimelineChart& chart, double width);

// Returns the number of a kind of operation in the classes f0, f1 ...: computing, moving data,
// sums, updates, waiting, the rest.
std::size_t colour_of_operation(const std::string& name);

}  // namespace convoy::report
