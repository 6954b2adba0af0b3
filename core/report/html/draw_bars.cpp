#include <fmt/format.h>

#include <algorithm>

#include "core/report/html/chart_frame.hpp"
#include "core/report/html/draw.hpp"

namespace convoy::report {
namespace {

constexpr double kBarHeight = 16;
constexpr double kRowHeight = 26;
constexpr double kTallRow = 42;     // for a row with the label above the bar
constexpr double kSecondLine = 16;  // height for the value if it does not fit beside the label

double sum_of(const BarChart::Bar& bar) {
  double sum = 0;
  for (const BarChart::Part& part : bar.parts) sum += part.value;
  return sum;
}

class BarsDrawer {
 public:
  BarsDrawer(const BarChart& chart, double width)
      : chart_(chart), width_(width), narrow_(width < kNarrowPicture) {
    double most = chart.limit.value_or(0);
    for (const BarChart::Bar& bar : chart.bars) most = std::max(most, sum_of(bar));
    scale_ = scale_for(chart.axis.unit, most);
    measure();
    const int wanted = std::clamp(static_cast<int>(plot_width_ / 64), 2, 8);
    ticks_ = ticks_up_to(most, scale_, chart.axis.whole, wanted);
    most_ = chart.limit ? *chart.limit : ticks_.back();
  }

  std::string draw() {
    const double legend = draw_legend(drawing_, 0, 0, width_, legend_entries());
    top_ = legend + 4;
    const double row = narrow_ ? kTallRow + second_line_ : kRowHeight;
    const double bottom = top_ + row * static_cast<double>(chart_.bars.size());
    for (const double tick : ticks_) draw_tick(tick, bottom);
    double y = top_;
    for (const BarChart::Bar& bar : chart_.bars) {
      draw_bar(bar, y);
      y += row;
    }
    drawing_.text(left_ + plot_width_, bottom + 35, axis_title(chart_.axis, scale_), "at",
                  Drawing::Anchor::kEnd);
    return figure_svg(drawing_, width_, bottom + kAxisRoom, chart_.name, chart_.title, parts_);
  }

 private:
  void measure() {
    // A minimum, because average widths say little about labels of two letters.
    double labels = 2.5 * kFontSize;
    double values = 0;
    for (const BarChart::Bar& bar : chart_.bars) {
      labels = std::max(labels, text_width(bar.label, kFontSize));
      values = std::max(values, text_width(bar.value, kFontSize));
      if (narrow_ && text_width(bar.label, kFontSize) > room_beside(bar))
        second_line_ = kSecondLine;
    }
    left_ = narrow_ ? 2 : std::min(labels, 0.44 * width_) + 10;
    plot_width_ = width_ - left_ - std::max(14.0, narrow_ ? 14 : values + 8);
  }

  // Returns the room for the label in the line of the value.
  double room_beside(const BarChart::Bar& bar) const {
    return width_ - text_width(bar.value, kFontSize) - 14;
  }

  std::vector<LegendEntry> legend_entries() const {
    std::vector<LegendEntry> entries;
    if (chart_.categories.size() > 1)
      for (std::size_t i = 0; i < chart_.categories.size(); ++i)
        if (!chart_.categories[i].empty())
          entries.push_back({chart_.categories[i], fmt::format("f{}", i)});
    return entries;
  }

  double x(double value) const { return left_ + std::min(1.0, value / most_) * plot_width_; }

  void draw_tick(double tick, double bottom) {
    if (tick > most_ * (1 + 1e-9)) return;
    drawing_.line(x(tick), top_, x(tick), bottom, tick == 0 ? "ax" : "gr");
    draw_tick_label(drawing_, x(tick), bottom + 17, width_, tick_label(tick, scale_));
  }

  void draw_bar(const BarChart::Bar& bar, double y) {
    const double top = narrow_ ? y + 20 + second_line_ : y + (kRowHeight - kBarHeight) / 2;
    if (narrow_) {
      const double room = second_line_ > 0 ? width_ - 4 : room_beside(bar);
      drawing_.text(left_, y + 14, fitted(bar.label, room, kFontSize), "l");
      drawing_.text(width_ - 2, y + 14 + second_line_, bar.value, "v", Drawing::Anchor::kEnd);
    } else {
      drawing_.text(left_ - 8, top + 12, fitted(bar.label, left_ - 10, kFontSize), "l",
                    Drawing::Anchor::kEnd);
    }
    double from = 0;
    for (const BarChart::Part& part : bar.parts) {
      if (part.value <= 0) continue;
      const double width = x(from + part.value) - x(from);
      drawing_.rect({x(from), top, std::max(0.5, width), kBarHeight},
                    fmt::format("m f{}", part.category), part_title(bar, part));
      from += part.value;
      ++parts_;
    }
    if (!narrow_) drawing_.text(x(from) + 6, top + 12, bar.value, "v");
  }

  std::string part_title(const BarChart::Bar& bar, const BarChart::Part& part) const {
    const std::string what = chart_.categories.size() > 1
                                 ? bar.label + ", " + chart_.categories.at(part.category)
                                 : bar.label;
    return what + ": " + quantity(part.value, chart_.axis.unit);
  }

  const BarChart& chart_;
  double width_;
  bool narrow_;
  Drawing drawing_;
  Scale scale_;
  std::vector<double> ticks_;
  double most_ = 1;
  double left_ = 0;
  double top_ = 0;
  double second_line_ = 0;  // its height, if there is one
  double plot_width_ = 0;
  std::size_t parts_ = 0;
};

}  // namespace

std::string draw(const BarChart& chart, double width) {
  return BarsDrawer(chart, width).draw();
}

}  // namespace convoy::report
