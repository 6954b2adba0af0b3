#include <fmt/format.h>

#include <algorithm>

#include "core/report/html/chart_frame.hpp"
#include "core/report/html/draw.hpp"

namespace convoy::report {
namespace {

// Returns the range of a bin's values. The last bin has no upper end.
std::string range_text(const Histogram& chart, std::size_t bin) {
  const double from = chart.first + chart.width * static_cast<double>(bin);
  const std::string text = quantity(from, chart.x.unit);
  if (bin + 1 == chart.counts.size()) return fmt::format("of {} or more", text);
  return fmt::format("from {} to {}", text, quantity(from + chart.width, chart.x.unit));
}

}  // namespace

std::string draw(const Histogram& chart, double width) {
  std::int64_t most = 1;
  for (const std::int64_t count : chart.counts) most = std::max(most, count);
  const double end = chart.first + chart.width * static_cast<double>(chart.counts.size());
  Axis counted{"steps", Unit::kNumber, true};
  ChartFrame frame(width, std::clamp(width * 0.42, 170.0, 260.0), chart.x, {chart.first, end},
                   counted, static_cast<double>(most), sign_entries(chart.marks));
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < chart.counts.size(); ++i) {
    if (chart.counts[i] == 0) continue;
    const double from = chart.first + chart.width * static_cast<double>(i);
    const double left = frame.x(from);
    const double top = frame.y(static_cast<double>(chart.counts[i]));
    frame.drawing().rect(
        {left, top, std::max(1.0, frame.x(from + chart.width) - left - 0.6), frame.bottom() - top},
        "m f0",
        fmt::format("{} step{} {}", chart.counts[i], chart.counts[i] == 1 ? "" : "s",
                    range_text(chart, i)));
    ++drawn;
  }
  frame.mark(chart.marks);
  return frame.finish(chart.name, chart.title, drawn);
}

}  // namespace convoy::report
