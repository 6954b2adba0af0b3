#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convoy {

// One operation as it ran, or as it was simulated.
struct TraceEvent {
  std::string name;
  std::int64_t operation = 0;  // id in the lowered plan, the same everywhere
  std::string device;          // "/cpu:0", "/host:0": one process of the trace viewer
  std::string lane;            // "compute", "copy in": one row
  double start_seconds = 0;    // from the start of the traced step
  double duration_seconds = 0;
};

// The events in the trace event format of Chrome's about:tracing and of Perfetto: a process for
// each device and a row for each of its lanes, both in the order they first appear, the operation's
// id in the arguments. Times are microseconds there.
std::string to_chrome_trace(const std::vector<TraceEvent>& events);

// Fails with kUnavailable when the path cannot be written.
void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path);

}  // namespace convoy
