#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convoy {

// One operation on one lane.
struct TraceEvent {
  std::string name;
  std::uint64_t operation = 0;  // its id in the lowered plan
  std::string lane;             // "compute", "copy in" ...
  std::string device;           // "cpu:0"
  double start_seconds = 0;     // on one clock for all events
  double duration_seconds = 0;
};

// The events as a Chrome trace (chrome://tracing, ui.perfetto.dev): a process per device, a row per
// lane, both numbered in the order in which they first appear. Times start at the earliest event.
std::string chrome_trace(const std::vector<TraceEvent>& events);

// Error(kFailed) naming the path when it cannot be written.
void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path);

}  // namespace convoy
