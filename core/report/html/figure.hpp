#pragma once

// The content of a report as data. Figures know neither records nor pages, and drawing one is a
// pure function of the figure and a width.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/report/html/quantity.hpp"

namespace convoy::report {

struct Axis {
  std::string title;
  Unit unit = Unit::kNumber;
  bool whole = false;  // only whole numbers make sense
};

struct Point {
  double x = 0;
  double y = 0;
  std::optional<Interval> range = {};  // range of repeats
};

// Solid lines are measured, dashed ones predicted, and thin ones are references.
enum class Stroke { kSolid, kDashed, kReference };

struct Series {
  std::string label;
  std::vector<Point> points;  // ascending in x; all finite
  Stroke stroke = Stroke::kSolid;
  std::size_t colour = 0;
};

// An event at one x, drawn as a vertical line.
struct Mark {
  double x = 0;
  std::string sign;     // short text in the picture
  std::string meaning;  // text in the legend, once for all marks with this sign
  std::string text;     // the tooltip
};

// Lines over two axes that begin at 0. Too many points are drawn as a band from their minimum to
// their maximum, with the median inside.
struct LineChart {
  std::string name;  // "step-times": unique on the page
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<Mark> marks = {};
  std::optional<double> y_limit = {};  // the axis reaches at least this value
  std::string note = {};               // what a reader must know to understand the chart
};

// The number of values in each interval.
struct Histogram {
  std::string name;
  std::string title;
  Axis x;
  double first = 0;  // lower bound of the first bin
  double width = 0;  // width of each bin
  std::vector<std::int64_t> counts;
  std::vector<Mark> marks = {};
};

// Rows of bars, each of which consists of parts.
struct BarChart {
  struct Part {
    std::size_t category = 0;
    double value = 0;
  };
  struct Bar {
    std::string label;
    std::vector<Part> parts;
    std::string value;  // text at the end of the bar
  };
  std::string name;
  std::string title;
  Axis axis;
  // Indexed by number; there is a legend if there are several; empty: unused.
  std::vector<std::string> categories;
  std::vector<Bar> bars;
  std::optional<double> limit = {};  // the axis reaches at least this value
  std::string note = {};             // what a reader must know to understand the chart
};

// The operations of one step, on the lanes of places.
struct Timeline {
  struct Row {
    std::string device;
    std::string lane;
  };
  struct Event {
    std::size_t row = 0;
    double start = 0;  // seconds since the step's first operation
    double duration = 0;
    std::string name;
    std::optional<std::uint64_t> operation = {};  // its number in the lowered plan
  };
  std::string title;   // "measured: step 57, 26.4 ms"
  double seconds = 0;  // length of the step
  std::vector<Row> rows;
  std::vector<Event> events;
  std::size_t more_rows = 0;  // number of rows that exist but are not shown here
};

// Timelines one above the other on a common time axis.
struct TimelineChart {
  std::string name;
  std::string title;
  std::vector<Timeline> timelines;
  std::size_t most_marks = 900;  // for each timeline at full width; further operations are merged
};

struct Table {
  std::string title;
  std::vector<std::string> heads;  // empty: a list of names and values
  std::vector<std::vector<std::string>> rows;
};

using Figure = std::variant<LineChart, Histogram, BarChart, TimelineChart, Table>;

}  // namespace convoy::report
