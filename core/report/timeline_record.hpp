#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/report/trace.hpp"

namespace convoy::report {

// The operations of one step.
struct TimelineRecord {
  std::int64_t step = 0;  // a timed step's number; 0: simulated
  double seconds = 0;     // that it took
  std::vector<TraceEvent> events;
};

// Rows of events are numbered, sorted by device and lane, and the last ones left out where there
// are very many; an event is [row, start, seconds, name, operation], with times in seconds from the
// first one's start. Layers inside operations are left out.
nlohmann::ordered_json to_json(const TimelineRecord& timeline);

}  // namespace convoy::report
