#include "core/report/html/chart_frame.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::report {
namespace {

constexpr double kLegendRow = 20;
constexpr double kTitleRoom = 18;  // above the plot, for the title of the vertical axis
constexpr double kSignRoom = 16;   // above the plot, for signs of marks
constexpr double kRightRoom = 26;  // half a tick label
constexpr double kTickRoom = 52;   // room for a label on the x axis

}  // namespace

std::string axis_title(const Axis& axis, const Scale& scale) {
  if (scale.suffix.empty() || axis.title.empty()) return axis.title + scale.suffix;
  return axis.title + ", " + scale.suffix;
}

std::string symbol_path(double x, double y, std::size_t kind) {
  const double r = 4;
  switch (kind % 4) {
    case 1:
      return fmt::format("M{:.1f} {:.1f}h{r}v{r}h-{r}z", x - r, y - r, fmt::arg("r", 2 * r));
    case 2:
      return fmt::format("M{:.1f} {:.1f}l{:.1f} {:.1f}h{:.1f}z", x, y - r - 1, r + 1, 2 * r,
                         -2 * r - 2);
    case 3:
      return fmt::format("M{:.1f} {:.1f}l{r} {r}l-{r} {r}l-{r} -{r}z", x, y - r - 1,
                         fmt::arg("r", r + 1));
    default:
      return fmt::format("M{:.1f} {:.1f}a{r} {r} 0 1 0 {:.1f} 0a{r} {r} 0 1 0 {:.1f} 0z", x - r, y,
                         2 * r, -2 * r, fmt::arg("r", r));
  }
}

double draw_legend(Drawing& drawing, double x, double y, double width,
                   const std::vector<LegendEntry>& legend) {
  constexpr double kSwatch = 22;
  constexpr double kGap = 16;
  double at = x;
  double line = y;
  for (const LegendEntry& entry : legend) {
    const std::string words = fitted(entry.words, width - kSwatch - 6, kFontSize);
    const double needs = kSwatch + 6 + text_width(words, kFontSize);
    if (at > x && at + needs > x + width) {
      at = x;
      line += kLegendRow;
    }
    if (entry.form == LegendEntry::Form::kStroke)
      drawing.line(at, line + 8, at + kSwatch, line + 8, entry.classes);
    else if (entry.form == LegendEntry::Form::kSign)
      drawing.text(at + kSwatch, line + 12, entry.classes, "sg", Drawing::Anchor::kEnd);
    else
      drawing.rect({at + 6, line + 2, 12, 12}, entry.classes);
    if (!entry.symbol.classes.empty())
      drawing.path(symbol_path(at + kSwatch / 2, line + 8, entry.symbol.kind),
                   entry.symbol.classes);
    drawing.text(at + kSwatch + 6, line + 12, words, "l");
    at += needs + kGap;
  }
  return legend.empty() ? 0 : line - y + kLegendRow;
}

void draw_tick_label(Drawing& drawing, double x, double y, double width, const std::string& label) {
  const double half = text_width(label, kFontSize) / 2;
  if (x + half > width)
    drawing.text(width, y, label, "t", Drawing::Anchor::kEnd);
  else
    drawing.text(std::max(x, half), y, label, "t", Drawing::Anchor::kMiddle);
}

std::vector<LegendEntry> sign_entries(const std::vector<Mark>& marks) {
  std::vector<LegendEntry> entries;
  for (const Mark& mark : marks) {
    const LegendEntry entry{mark.meaning, mark.sign, LegendEntry::Form::kSign};
    if (std::ranges::find(entries, entry.words, &LegendEntry::words) == entries.end())
      entries.push_back(entry);
  }
  return entries;
}

ChartFrame::ChartFrame(double width, double plot_height, const Axis& x, const Interval& x_range,
                       const Axis& y, double y_most, const std::vector<LegendEntry>& legend)
    : width_(width), plot_height_(plot_height), x_range_(x_range) {
  x_scale_ = scale_for(x.unit, x_range.high);
  y_scale_ = scale_for(y.unit, y_most);
  const std::vector<double> y_ticks = ticks_up_to(y_most, y_scale_, y.whole);
  double widest = 0;
  for (const double tick : y_ticks)
    widest = std::max(widest, text_width(tick_label(tick, y_scale_), kFontSize));
  left_ = widest + 12;
  plot_width_ = width_ - left_ - kRightRoom;
  const int most = std::clamp(static_cast<int>(plot_width_ / kTickRoom), 2, 8);
  const std::vector<double> x_ticks = ticks_between(x_range, x_scale_, x.whole, most);
  if (x_range_.low == 0) x_range_.high = std::max(x_range_.high, x_ticks.at(1));
  y_most_ = y_ticks.back();
  top_ = convoy::report::draw_legend(drawing_, 0, 0, width_, legend) + kTitleRoom + kSignRoom;
  height_ = top_ + plot_height_ + kAxisRoom;
  draw_axes(x, x_ticks, y, y_ticks);
}

void ChartFrame::draw_axes(const Axis& x, const std::vector<double>& x_ticks, const Axis& y,
                           const std::vector<double>& y_ticks) {
  drawing_.text(0, top_ - kSignRoom - 4, axis_title(y, y_scale_), "at");
  for (const double tick : y_ticks) {
    drawing_.line(left_, this->y(tick), right(), this->y(tick), tick == 0 ? "ax" : "gr");
    drawing_.text(left_ - 6, this->y(tick) + 4, tick_label(tick, y_scale_), "t",
                  Drawing::Anchor::kEnd);
  }
  for (const double tick : x_ticks) {
    if (tick > x_range_.high * (1 + 1e-9)) continue;
    drawing_.line(this->x(tick), bottom(), this->x(tick), bottom() + 4, "ax");
    draw_tick_label(drawing_, this->x(tick), bottom() + 17, width_, tick_label(tick, x_scale_));
  }
  drawing_.text(right(), bottom() + 35, axis_title(x, x_scale_), "at", Drawing::Anchor::kEnd);
}

void ChartFrame::mark(const std::vector<Mark>& marks) {
  constexpr double kSignWidth = 12;
  double free_from = 0;
  for (const Mark& mark : marks) {
    const double at = x(std::clamp(mark.x, x_range_.low, x_range_.high));
    drawing_.path(fmt::format("M{:.1f} {:.1f}V{:.1f}", at, top_, bottom()), "mk", mark.text);
    if (at < free_from) continue;
    drawing_.text(at, top_ - 4, mark.sign, "sg", Drawing::Anchor::kMiddle);
    free_from = at + kSignWidth;
  }
}

std::string ChartFrame::finish(const std::string& name, const std::string& title,
                               std::size_t points) const {
  return figure_svg(drawing_, width_, height_, name, title, points);
}

std::string figure_svg(const Drawing& drawing, double width, double height, const std::string& name,
                       const std::string& title, std::size_t points) {
  return drawing.svg(
      width, height, title,
      fmt::format("data-plot=\"{}\" data-points=\"{}\"", escaped_markup(name), points));
}

}  // namespace convoy::report
