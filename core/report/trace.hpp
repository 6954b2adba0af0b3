#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convoy::report {

// A time interval on one row: an operation, a layer inside it, or a wait.
struct TraceEvent {
  std::string name;
  // Id in the lowered plan; for a layer, that of the operation around it.
  std::optional<std::uint64_t> operation;
  std::string lane;          // "compute", "copy in" ...
  std::string device;        // "cpu:0"
  double start_seconds = 0;  // on one clock for all events
  double duration_seconds = 0;
  std::string category = "operation";
  std::string implementation = {};  // implementation of a layer
};

// Returns the events as a Chrome trace (chrome://tracing, ui.perfetto.dev): a process per device
// and a row per lane, both numbered in the order of their first appearance. Events are sorted by
// start; times begin with the earliest. `clock_errors`: in runs on several hosts, for each task,
// the bound in seconds of its clock's difference from the common clock.
std::string chrome_trace(const std::vector<TraceEvent>& events,
                         const std::map<std::string, double>& clock_errors = {});

// Error(kFailed) naming the path if it cannot be written.
void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path,
                 const std::map<std::string, double>& clock_errors = {});

}  // namespace convoy::report
