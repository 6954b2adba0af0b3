#include "core/simulate/run/series_progress.hpp"

namespace convoy::simulate {

SeriesProgress::SeriesProgress(const TaskGraph& graph) : graph_(graph) {
  if (graph.series.empty()) return;
  places_.assign(graph.tasks.size(), kNone);
  for (const TaskSeries& it : graph.series) {
    const auto number = static_cast<std::uint32_t>(series_.size());
    series_.push_back({.first = slots_.size(), .size = it.tasks.size()});
    for (const std::uint32_t task : it.tasks) {
      slots_.push_back({.series = number, .other = places_[task]});
      places_[task] = static_cast<std::uint32_t>(slots_.size() - 1);
    }
  }
}

}  // namespace convoy::simulate
