#include "core/report/trace.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/files/output_file.hpp"
#include "core/base/text/json.hpp"

namespace convoy::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicrosecondsPerSecond = 1e6;

// Numbers names in order of appearance.
std::size_t number_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  const auto number = static_cast<std::size_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return number;
}

Json metadata(const char* kind, std::size_t process, std::size_t thread, Json arguments) {
  return {{"ph", "M"},
          {"name", kind},
          {"pid", process},
          {"tid", thread},
          {"args", std::move(arguments)}};
}

Json event_record(const TraceEvent& event, std::size_t process, std::size_t thread, double origin) {
  Json arguments = Json::object();
  if (event.operation) arguments["operation"] = *event.operation;
  if (!event.implementation.empty()) arguments["implementation"] = event.implementation;
  return {{"ph", "X"},
          {"name", event.name},
          {"cat", event.category},
          {"pid", process},
          {"tid", thread},
          {"ts", (event.start_seconds - origin) * kMicrosecondsPerSecond},
          {"dur", event.duration_seconds * kMicrosecondsPerSecond},
          {"args", std::move(arguments)}};
}

void add_names(const std::vector<std::string>& devices,
               const std::vector<std::vector<std::string>>& lanes, Json& records) {
  for (std::size_t process = 0; process < devices.size(); ++process) {
    records.push_back(metadata("process_name", process, 0, {{"name", devices[process]}}));
    records.push_back(metadata("process_sort_index", process, 0, {{"sort_index", process}}));
    for (std::size_t thread = 0; thread < lanes[process].size(); ++thread) {
      records.push_back(
          metadata("thread_name", process, thread, {{"name", lanes[process][thread]}}));
      records.push_back(metadata("thread_sort_index", process, thread, {{"sort_index", thread}}));
    }
  }
}

}  // namespace

std::string chrome_trace(const std::vector<TraceEvent>& events,
                         const std::map<std::string, double>& clock_errors) {
  double origin = std::numeric_limits<double>::infinity();
  for (const TraceEvent& event : events) origin = std::min(origin, event.start_seconds);
  std::vector<std::string> devices;
  std::vector<std::vector<std::string>> lanes;
  std::vector<std::pair<double, Json>> timed;
  for (const TraceEvent& event : events) {
    const std::size_t process = number_of(devices, event.device);
    lanes.resize(devices.size());
    const std::size_t thread = number_of(lanes[process], event.lane);
    timed.emplace_back(event.start_seconds, event_record(event, process, thread, origin));
  }
  // Events that enclose others come before them.
  std::ranges::stable_sort(timed, {}, &std::pair<double, Json>::first);
  Json records = Json::array();
  add_names(devices, lanes, records);
  for (auto& [start, record] : timed) records.push_back(std::move(record));
  Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(records)}};
  if (!clock_errors.empty()) trace["otherData"]["clock_error_seconds"] = clock_errors;
  return json_text(trace) + "\n";
}

void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path,
                 const std::map<std::string, double>& clock_errors) {
  write_output_file(path, chrome_trace(events, clock_errors));
}

}  // namespace convoy::report
