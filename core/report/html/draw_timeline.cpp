#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/report/html/chart_frame.hpp"
#include "core/report/html/draw.hpp"

namespace convoy::report {
namespace {

constexpr double kRow = 18;
constexpr double kLabelLine = 15;  // height for a row's label above it
constexpr double kEventHeight = 14;
constexpr double kPanelTitle = 26;
// The largest share of a narrow picture for labels beside rows.
constexpr double kNarrowLabels = 0.4;
constexpr double kFullWidth = 1100;    // the width to which TimelineChart::most_marks refers
constexpr std::size_t kMostRows = 32;  // for one panel
constexpr double kPatterned = 4;       // least width in pixels for a pattern and an edge
constexpr double kSeparable = 0.8;     // pixels; shorter events that touch are merged
constexpr double kBlurred = 6;  // pixels; beyond this, events of different kinds are merged, too

constexpr const char* kKinds[] = {"forward",         "backward",         "moving data",
                                  "sums and others", "optimizer update", "layers and steps"};

struct Placed {
  double left = 0;
  double right = 0;
  std::size_t colour = 0;
  std::size_t count = 1;  // number of events
  const Timeline::Event* first = nullptr;
  double seconds = 0;
};

std::string row_label(const Timeline::Row& row) {
  return row.device.empty() ? row.lane : row.device + " " + row.lane;
}

std::string event_title(const Timeline& timeline, const Placed& placed) {
  const Timeline::Event& event = *placed.first;
  const std::string where = row_label(timeline.rows[event.row]);
  if (placed.count > 1)
    return fmt::format("{} short operations, from {} on, {} together; {}", placed.count, event.name,
                       quantity(placed.seconds, Unit::kSeconds), where);
  return fmt::format("{}{}: {} from {} on; {}", event.name,
                     event.operation ? fmt::format(", operation {}", *event.operation) : "",
                     quantity(event.duration, Unit::kSeconds),
                     quantity(event.start, Unit::kSeconds), where);
}

class TimelineDrawer {
 public:
  TimelineDrawer(const TimelineChart& chart, double width)
      : chart_(chart), width_(width), narrow_(width < kNarrowPicture) {
    for (const Timeline& timeline : chart.timelines) {
      most_ = std::max(most_, timeline.seconds);
      for (const Timeline::Event& event : timeline.events)
        most_ = std::max(most_, event.start + event.duration);
      for (const Timeline::Row& row : timeline.rows)
        left_ = std::max(left_, text_width(row_label(row), kFontSize) + 10);
    }
    if (narrow_ && left_ > kNarrowLabels * width_) {
      label_line_ = kLabelLine;
      left_ = 2;
    }
    left_ = std::min(left_, (narrow_ ? kNarrowLabels : 0.22) * width_);
    scale_ = scale_for(Unit::kSeconds, most_);
  }

  std::string draw() {
    double y = draw_legend(drawing_, 0, 0, width_, legend()) + 2;
    const double top = y;
    for (const Timeline& timeline : chart_.timelines) y = draw_panel(timeline, y);
    draw_axis(top, y);
    return figure_svg(drawing_, width_, y + kAxisRoom, chart_.name, chart_.title, marks_);
  }

 private:
  std::vector<LegendEntry> legend() const {
    std::set<std::size_t> used;
    for (const Timeline& timeline : chart_.timelines)
      for (const Timeline::Event& event : timeline.events)
        used.insert(colour_of_operation(event.name));
    std::vector<LegendEntry> entries;
    entries.reserve(used.size());
    for (const std::size_t colour : used)
      entries.push_back({kKinds[colour], fmt::format("f{}", colour)});
    return entries;
  }

  // Also works if the length of the step is unknown.
  double x(double seconds) const {
    const double share = most_ > 0 ? seconds / most_ : 0;
    return left_ + share * (width_ - left_ - 14);
  }

  void draw_axis(double top, double bottom) {
    const int most = std::clamp(static_cast<int>((width_ - left_) / 80), 2, 10);
    for (const double tick : ticks_up_to(most_, scale_, false, most)) {
      if (tick > most_ * (1 + 1e-9)) continue;
      drawing_.line(x(tick), top + kPanelTitle - 4, x(tick), bottom, tick == 0 ? "ax" : "gr");
      draw_tick_label(drawing_, x(tick), bottom + 16, width_, tick_label(tick, scale_));
    }
    drawing_.text(width_ - 14, bottom + 34,
                  axis_title({"since the step's first operation", Unit::kSeconds}, scale_), "at",
                  Drawing::Anchor::kEnd);
  }

  double draw_panel(const Timeline& timeline, double y) {
    drawing_.text(0, y + 16, fitted(timeline.title, width_, kFontSize), "at");
    y += kPanelTitle;
    const std::size_t rows = std::min(kMostRows, timeline.rows.size());
    for (std::size_t row = 0; row < rows; ++row) draw_row(timeline.rows[row], y + top_of(row));
    for (const Placed& placed : fitting(timeline, rows)) draw_event(timeline, placed, y);
    y += top_of(rows) - label_line_;
    const std::size_t hidden = timeline.rows.size() - rows + timeline.more_rows;
    if (hidden > 0) {
      drawing_.text(left_, y + 12, fmt::format("and {} more rows", hidden), "t");
      y += kRow;
    }
    return y + 4;
  }

  // Returns the top of a row's events, relative to the panel's top.
  double top_of(std::size_t row) const {
    return label_line_ + (kRow + label_line_) * static_cast<double>(row);
  }

  void draw_row(const Timeline::Row& row, double top) {
    drawing_.rect({left_, top, width_ - left_ - 14, kEventHeight}, "ln");
    if (label_line_ > 0)
      drawing_.text(left_, top - 4, fitted(row_label(row), width_ - left_, kFontSize), "t");
    else
      drawing_.text(left_ - 6, top + 11, fitted(row_label(row), left_ - 8, kFontSize), "t",
                    Drawing::Anchor::kEnd);
  }

  // Returns at most as many marks as the chart may show, shared equally by the rows.
  std::vector<Placed> fitting(const Timeline& timeline, std::size_t rows) const {
    std::vector<std::vector<const Timeline::Event*>> by_row(rows);
    for (const Timeline::Event& event : timeline.events)
      if (event.row < rows) by_row[event.row].push_back(&event);
    const double share = static_cast<double>(chart_.most_marks) * width_ / kFullWidth /
                         static_cast<double>(std::max<std::size_t>(1, rows));
    std::vector<Placed> all;
    for (auto& events : by_row) {
      std::ranges::stable_sort(events, {}, [](const auto* event) { return event->start; });
      double separable = kSeparable;
      std::vector<Placed> placed = place(events, separable);
      for (; static_cast<double>(placed.size()) > share && separable < width_; separable *= 1.5)
        placed = place(events, separable);
      all.insert(all.end(), placed.begin(), placed.end());
    }
    return all;
  }

  // Places the events of one row, in the order of time. Events that are too short to be
  // distinguished are merged.
  std::vector<Placed> place(const std::vector<const Timeline::Event*>& events,
                            double separable) const {
    std::vector<Placed> placed;
    for (const Timeline::Event* event : events) {
      const Placed next{x(event->start),
                        x(event->start + event->duration),
                        colour_of_operation(event->name),
                        1,
                        event,
                        event->duration};
      if (placed.empty() || !merges(placed.back(), next, separable)) {
        placed.push_back(next);
        continue;
      }
      placed.back().right = std::max(placed.back().right, next.right);
      placed.back().count += 1;
      placed.back().seconds += next.seconds;
    }
    return placed;
  }

  static bool merges(const Placed& before, const Placed& next, double separable) {
    if (separable > kBlurred) return next.right - before.left < separable;
    const bool touch = next.left - before.right < separable;
    return touch && before.colour == next.colour && next.right - next.left < separable &&
           (before.count > 1 || before.right - before.left < separable);
  }

  void draw_event(const Timeline& timeline, const Placed& placed, double y) {
    const std::string operation = placed.count == 1 && placed.first->operation
                                      ? fmt::format("data-op=\"{}\"", *placed.first->operation)
                                      : std::string();
    const double width = std::max(0.7, placed.right - placed.left);
    drawing_.rect({placed.left, y + top_of(placed.first->row), width, kEventHeight},
                  width > kPatterned ? fmt::format("m f{} ed", placed.colour)
                                     : fmt::format("m q{}", placed.colour),
                  event_title(timeline, placed), operation);
    ++marks_;
  }

  const TimelineChart& chart_;
  double width_;
  bool narrow_;
  Drawing drawing_;
  Scale scale_;
  double most_ = 0;
  double left_ = 0;
  double label_line_ = 0;  // its height, if labels stand above their rows
  std::size_t marks_ = 0;
};

bool begins_with_any(const std::string& name, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return name.starts_with(word); });
}

}  // namespace

std::size_t colour_of_operation(const std::string& name) {
  if (name.starts_with("forward")) return 0;
  if (name.starts_with("backward")) return 1;
  if (begins_with_any(
          name, {"copy", "send", "receive", "all_reduce", "all_gather", "reduce", "broadcast"}))
    return 2;
  if (name.starts_with("apply")) return 4;
  if (begins_with_any(
          name, {"add", "sum", "scale", "axpy", "cast", "fill", "matmul", "call", "square", "guard",
                 "norm", "multiply", "dot", "divide", "orthogonalise"}))
    return 3;
  return 5;
}

std::string draw(const TimelineChart& chart, double width) {
  return TimelineDrawer(chart, width).draw();
}

}  // namespace convoy::report
