#pragma once

// What a report shows, as data: figures know neither records nor pages, and drawing one is a pure
// function of it and a width.

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
  bool whole = false;  // only whole numbers have a meaning
};

struct Point {
  double x = 0;
  double y = 0;
  std::optional<Interval> range = {};  // of repeats
};

// Solid: measured. Dashed: predicted. Thin: a reference line.
enum class Stroke { kSolid, kDashed, kReference };

struct Series {
  std::string label;
  std::vector<Point> points;  // ascending in x; finite
  Stroke stroke = Stroke::kSolid;
  std::size_t colour = 0;
};

// Something that happened at one x: a vertical line.
struct Mark {
  double x = 0;
  std::string sign;     // in the picture, short
  std::string meaning;  // in the legend, once for all marks with this sign
  std::string text;     // shown where a reader points at it
};

// Lines over two axes that begin at 0. Many points become the band from their least to their
// greatest with the median inside.
struct LineChart {
  std::string name;  // "step-times": unique on the page
  std::string title;
  Axis x;
  Axis y;
  std::vector<Series> series;
  std::vector<Mark> marks = {};
  std::optional<double> y_limit = {};  // at least up to here
  std::string note = {};               // what one must know to read it
};

// How often values fall between two bounds.
struct Histogram {
  std::string name;
  std::string title;
  Axis x;
  double first = 0;  // where the first bin begins
  double width = 0;  // of each bin
  std::vector<std::int64_t> counts;
  std::vector<Mark> marks = {};
};

// Rows of bars, each of parts.
struct BarChart {
  struct Part {
    std::size_t category = 0;
    double value = 0;
  };
  struct Bar {
    std::string label;
    std::vector<Part> parts;
    std::string value;  // at its end
  };
  std::string name;
  std::string title;
  Axis axis;
  std::vector<std::string>
      categories;  // by number; the legend when there are several; empty: unused
  std::vector<Bar> bars;
  std::optional<double> limit = {};  // where the axis ends at least
  std::string note = {};             // what one must know to read it
};

// Operations of one step on the lanes of places.
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
    std::optional<std::uint64_t> operation = {};  // in the lowered plan
  };
  std::string title;   // "measured: step 57, 26.4 ms"
  double seconds = 0;  // of the step
  std::vector<Row> rows;
  std::vector<Event> events;
  std::size_t more_rows = 0;  // that are known of and not here
};

// One above the other on one axis of time.
struct TimelineChart {
  std::string name;
  std::string title;
  std::vector<Timeline> timelines;
  std::size_t most_marks = 900;  // of each at full width; more operations are put together
};

struct Table {
  std::string title;
  std::vector<std::string> heads;  // empty: a list of names and values
  std::vector<std::vector<std::string>> rows;
};

using Figure = std::variant<LineChart, Histogram, BarChart, TimelineChart, Table>;

}  // namespace convoy::report
