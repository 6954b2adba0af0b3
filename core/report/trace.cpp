#include "core/report/trace.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/report/output_file.hpp"

namespace convoy {
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

Json name_record(const char* kind, std::size_t process, std::size_t thread,
                 const std::string& name) {
  return {
      {"ph", "M"}, {"name", kind}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

}  // namespace

std::string chrome_trace(const std::vector<TraceEvent>& events) {
  double origin = std::numeric_limits<double>::infinity();
  for (const TraceEvent& event : events) origin = std::min(origin, event.start_seconds);
  std::vector<std::string> devices;
  std::vector<std::vector<std::string>> lanes;
  Json records = Json::array();
  for (const TraceEvent& event : events) {
    const std::size_t process = number_of(devices, event.device);
    lanes.resize(devices.size());
    const std::size_t thread = number_of(lanes[process], event.lane);
    records.push_back({{"ph", "X"},
                       {"name", event.name},
                       {"pid", process},
                       {"tid", thread},
                       {"ts", (event.start_seconds - origin) * kMicrosecondsPerSecond},
                       {"dur", event.duration_seconds * kMicrosecondsPerSecond},
                       {"args", {{"operation", event.operation}}}});
  }
  for (std::size_t process = 0; process < devices.size(); ++process) {
    records.push_back(name_record("process_name", process, 0, devices[process]));
    for (std::size_t thread = 0; thread < lanes[process].size(); ++thread) {
      records.push_back(name_record("thread_name", process, thread, lanes[process][thread]));
    }
  }
  const Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(records)}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path) {
  write_output_file(path, chrome_trace(events));
}

}  // namespace convoy
