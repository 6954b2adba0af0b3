#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/report/trace.hpp"

namespace convoy::report {

// The operations of one step.
struct TimelineRecord {
  std::int64_t step = 0;  // number of a timed step; 0: simulated
  double seconds = 0;     // duration of the step
  std::vector<TraceEvent> events;
};

// Rows of events are numbered, sorted by device and lane. If there are very many rows, the last
// ones are left out. An event is [row, start, seconds, name, operation], with times in seconds from
// the first event's start. Layers inside operations are left out.
nlohmann::ordered_json to_json(const TimelineRecord& timeline);

}  // namespace convoy::report
