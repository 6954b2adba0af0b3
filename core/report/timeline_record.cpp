#include "core/report/timeline_record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace convoy::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostEvents = 10000;  // keeps a record of many devices small

bool is_shown(const TraceEvent& event) {
  return event.category == "operation" || event.category == "simulated";
}

using Row = std::pair<std::string, std::string>;  // device and lane

// Puts "cuda:2" before "cuda:10", and host places last. Within a kind, the shorter name comes
// first.
struct RowOrder {
  static auto key(const Row& row) {
    const std::string kind = row.first.substr(0, row.first.find(':'));
    return std::tuple(kind, row.first.size(), row.first, row.second);
  }
  bool operator()(const Row& a, const Row& b) const { return key(a) < key(b); }
};

// Rounds to a tenth of a microsecond.
double rounded(double seconds) {
  return std::round(seconds * 1e7) / 1e7;
}

}  // namespace

Json to_json(const TimelineRecord& timeline) {
  double origin = std::numeric_limits<double>::infinity();
  std::map<Row, std::vector<const TraceEvent*>, RowOrder> rows;
  for (const TraceEvent& event : timeline.events) {
    if (!is_shown(event)) continue;
    origin = std::min(origin, event.start_seconds);
    rows[{event.device, event.lane}].push_back(&event);
  }
  Json names = Json::array();
  Json events = Json::array();
  std::size_t left_out = 0;
  for (const auto& [row, own] : rows) {
    if (!names.empty() && events.size() + own.size() > kMostEvents) {
      ++left_out;
      continue;
    }
    for (const TraceEvent* event : own)
      events.push_back({names.size(), rounded(event->start_seconds - origin),
                        rounded(event->duration_seconds), event->name,
                        event->operation ? Json(*event->operation) : Json(nullptr)});
    names.push_back({row.first, row.second});
  }
  return {{"step", timeline.step},
          {"seconds", timeline.seconds},
          {"rows", std::move(names)},
          {"rows_left_out", left_out},
          {"events", std::move(events)}};
}

}  // namespace convoy::report
