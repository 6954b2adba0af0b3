#include "core/report/trace.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/report/output_file.hpp"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;

// Numbers devices and lanes as they appear and adds the metadata that names them.
class Rows {
 public:
  explicit Rows(Json& events) : events_(events) {}

  std::pair<int, int> place(const TraceEvent& event) {
    const auto [device, new_device] = devices_.try_emplace(event.device, devices_.size());
    const int process = device->second;
    if (new_device) describe("process", process, 0, event.device);
    const auto [lane, new_lane] = lanes_.try_emplace({process, event.lane}, lanes_.size());
    if (new_lane) describe("thread", process, lane->second, event.lane);
    return {process, lane->second};
  }

 private:
  void describe(const std::string& what, int process, int thread, const std::string& name) {
    events_.push_back({{"name", what + "_name"},
                       {"ph", "M"},
                       {"pid", process},
                       {"tid", thread},
                       {"args", {{"name", name}}}});
    events_.push_back({{"name", what + "_sort_index"},
                       {"ph", "M"},
                       {"pid", process},
                       {"tid", thread},
                       {"args", {{"sort_index", what == "process" ? process : thread}}}});
  }

  Json& events_;
  std::map<std::string, int> devices_;
  std::map<std::pair<int, std::string>, int> lanes_;
};

}  // namespace

std::string to_chrome_trace(const std::vector<TraceEvent>& events) {
  Json list = Json::array();
  Rows rows(list);
  for (const auto& event : events) {
    const auto [process, thread] = rows.place(event);
    list.push_back({{"name", event.name},
                    {"cat", event.lane},
                    {"ph", "X"},
                    {"pid", process},
                    {"tid", thread},
                    {"ts", event.start_seconds * kMicroseconds},
                    {"dur", event.duration_seconds * kMicroseconds},
                    {"args", {{"operation", event.operation}}}});
  }
  const Json trace = {{"displayTimeUnit", "ms"}, {"traceEvents", std::move(list)}};
  return trace.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path) {
  write_whole_file(path, to_chrome_trace(events));
}

}  // namespace convoy
