#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/report/html/chart_frame.hpp"
#include "core/report/html/draw.hpp"

namespace convoy::report {
namespace {

constexpr std::size_t kMostMarked = 100;  // with at most this many points, each has a symbol
constexpr double kBandPixels = 2.5;       // width of a column if there are too many points

const char* stroke_name(Stroke stroke) {
  switch (stroke) {
    case Stroke::kDashed:
      return "da";
    case Stroke::kReference:
      return "re";
    default:
      return "so";
  }
}

std::string line_classes(const Series& series) {
  return fmt::format("s{} {}", series.colour % 6, stroke_name(series.stroke));
}

std::string symbol_classes(const Series& series) {
  return fmt::format("c{}{}", series.colour % 6, series.stroke == Stroke::kDashed ? " ho" : "");
}

bool has_symbols(const Series& series) {
  return series.stroke != Stroke::kReference && series.points.size() <= kMostMarked;
}

std::string polyline(const ChartFrame& frame, const std::vector<Point>& points) {
  std::string data;
  char command = 'M';
  for (const Point& point : points) {
    fmt::format_to(std::back_inserter(data), "{}{:.1f} {:.1f}", command, frame.x(point.x),
                   frame.y(point.y));
    command = 'L';
  }
  return data;
}

// The points in one column of pixels.
struct Column {
  double first = 0;
  double last = 0;
  double least = 0;
  double median = 0;
  double most = 0;
};

std::vector<Column> columns_of(const std::vector<Point>& points, std::size_t count) {
  std::vector<Column> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * points.size() / count;
    const std::size_t end = (i + 1) * points.size() / count;
    if (begin == end) continue;
    values.clear();
    for (std::size_t at = begin; at < end; ++at) values.push_back(points[at].y);
    std::ranges::sort(values);
    columns.push_back({points[begin].x, points[end - 1].x, values.front(),
                       values[values.size() / 2], values.back()});
  }
  return columns;
}

class LinesDrawer {
 public:
  LinesDrawer(const LineChart& chart, double width)
      : chart_(chart),
        frame_(width, std::clamp(width * 0.42, 170.0, 260.0), chart.x, {0, x_most(chart)}, chart.y,
               y_most(chart), legend(chart)) {}

  std::string draw() {
    frame_.mark(chart_.marks);
    for (const Series& series : chart_.series) {
      if (series.points.empty()) continue;
      if (series.stroke == Stroke::kReference)
        frame_.drawing().path(polyline(frame_, series.points), line_classes(series));
      else if (has_symbols(series))
        draw_points(series);
      else
        draw_band(series);
    }
    return frame_.finish(chart_.name, chart_.title, points_);
  }

 private:
  static double x_most(const LineChart& chart) {
    double most = 0;
    for (const Series& series : chart.series)
      for (const Point& point : series.points) most = std::max(most, point.x);
    for (const Mark& mark : chart.marks) most = std::max(most, mark.x);
    return most;
  }

  static double y_most(const LineChart& chart) {
    double most = chart.y_limit.value_or(0);
    for (const Series& series : chart.series)
      for (const Point& point : series.points)
        most = std::max({most, point.y, point.range ? point.range->high : 0});
    return most;
  }

  static std::vector<LegendEntry> legend(const LineChart& chart) {
    std::vector<LegendEntry> entries;
    if (chart.series.size() < 2 && chart.marks.empty()) return entries;
    for (const Series& series : chart.series)
      if (!series.label.empty()) {
        entries.push_back({series.label, line_classes(series), LegendEntry::Form::kStroke});
        if (has_symbols(series)) entries.back().symbol = {series.colour, symbol_classes(series)};
      }
    for (LegendEntry& entry : sign_entries(chart.marks)) entries.push_back(std::move(entry));
    return entries;
  }

  std::string point_title(const Series& series, const Point& point) const {
    const Scale& x = frame_.x_scale();
    std::string text =
        fmt::format("{}{} {}: {}", series.label.empty() ? "" : series.label + ", ", chart_.x.title,
                    tick_label(point.x, x), quantity(point.y, chart_.y.unit));
    if (point.range)
      text += fmt::format(" (repeats from {} to {})", quantity(point.range->low, chart_.y.unit),
                          quantity(point.range->high, chart_.y.unit));
    return text;
  }

  void draw_points(const Series& series) {
    Drawing& drawing = frame_.drawing();
    drawing.path(polyline(frame_, series.points), line_classes(series));
    for (const Point& point : series.points) {
      const double x = frame_.x(point.x);
      if (point.range)
        drawing.path(fmt::format("M{0:.1f} {1:.1f}h8m-4 0V{2:.1f}m-4 0h8", x - 4,
                                 frame_.y(point.range->low), frame_.y(point.range->high)),
                     fmt::format("s{} so", series.colour % 6));
      drawing.path(symbol_path(x, frame_.y(point.y), series.colour), "m " + symbol_classes(series),
                   point_title(series, point));
      ++points_;
    }
  }

  void draw_band(const Series& series) {
    const auto count = static_cast<std::size_t>((frame_.right() - frame_.left()) / kBandPixels);
    const std::vector<Column> columns = columns_of(series.points, count);
    std::vector<Point> medians;
    std::string band;
    for (const Column& it : columns) {
      medians.push_back({(it.first + it.last) / 2, it.median});
      fmt::format_to(std::back_inserter(band), "{}{:.1f} {:.1f}", band.empty() ? 'M' : 'L',
                     frame_.x(medians.back().x), frame_.y(it.most));
    }
    for (auto it = columns.rbegin(); it != columns.rend(); ++it)
      fmt::format_to(std::back_inserter(band), "L{:.1f} {:.1f}",
                     frame_.x((it->first + it->last) / 2), frame_.y(it->least));
    frame_.drawing().path(band + "z", fmt::format("b{}", series.colour % 6));
    frame_.drawing().path(polyline(frame_, medians), "m " + line_classes(series));
    points_ += columns.size();
    for (const Column& it : columns) draw_target(it);
  }

  // Draws an invisible area that shows the tooltip.
  void draw_target(const Column& it) {
    const std::string steps =
        it.first == it.last
            ? fmt::format("{} {}", chart_.x.title, tick_label(it.first, frame_.x_scale()))
            : fmt::format("{} {} to {}", chart_.x.title, tick_label(it.first, frame_.x_scale()),
                          tick_label(it.last, frame_.x_scale()));
    const double left = frame_.x(it.first);
    frame_.drawing().rect(
        {left, frame_.top(), std::max(1.0, frame_.x(it.last) - left),
         frame_.bottom() - frame_.top()},
        "ht",
        fmt::format("{}: {}, {} to {}", steps, quantity(it.median, chart_.y.unit),
                    quantity(it.least, chart_.y.unit), quantity(it.most, chart_.y.unit)));
  }

  const LineChart& chart_;
  ChartFrame frame_;
  std::size_t points_ = 0;
};

}  // namespace

std::string draw(const LineChart& chart, double width) {
  return LinesDrawer(chart, width).draw();
}

}  // namespace convoy::report
