#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convoy::report {

// A stretch of time on one row: an operation, a layer inside it, a wait.
struct TraceEvent {
  std::string name;
  std::optional<std::uint64_t> operation;  // its id in the lowered plan; a layer's: of the
                                           // operation around it
  std::string lane;                        // "compute", "copy in" ...
  std::string device;                      // "cpu:0"
  double start_seconds = 0;                // on one clock for all events
  double duration_seconds = 0;
  std::string category = "operation";
  std::string implementation = {};  // of layers
};

// The events as a Chrome trace (chrome://tracing, ui.perfetto.dev): a process per device, a row per
// lane, both numbered in the order in which they first appear. Events are sorted by start; times
// begin with the earliest. `clock_errors`: of runs on several hosts, by task, within how many
// seconds of the common clock its times are right.
std::string chrome_trace(const std::vector<TraceEvent>& events,
                         const std::map<std::string, double>& clock_errors = {});

// Error(kFailed) naming the path when it cannot be written.
void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path,
                 const std::map<std::string, double>& clock_errors = {});

}  // namespace convoy::report
