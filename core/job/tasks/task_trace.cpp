#include "core/job/tasks/task_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.hpp"
#include "core/job/tasks/task.hpp"

namespace convoy::job {
namespace {

using Json = nlohmann::json;

// Some 120 bytes each; the coordinator sends all tasks' to everybody, at most 64 MB.
constexpr std::size_t kMostEventsOfAll = 400'000;
constexpr int kReadings = 5;  // of two clocks beside each other; the quickest one counts

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Json to_json(const report::TraceEvent& event) {
  return Json::array({event.name, event.operation ? Json(*event.operation) : Json(nullptr),
                      event.lane, event.device, event.start_seconds, event.duration_seconds,
                      event.category, event.implementation});
}

report::TraceEvent event_from(const Json& json, const std::string& task, double offset) {
  report::TraceEvent event;
  event.name = json.at(0).get<std::string>();
  if (!json.at(1).is_null()) event.operation = json.at(1).get<std::uint64_t>();
  event.lane = json.at(2).get<std::string>();
  event.device = fmt::format("{} {}", task, json.at(3).get<std::string>());
  event.start_seconds = json.at(4).get<double>() + offset;
  event.duration_seconds = json.at(5).get<double>();
  event.category = json.at(6).get<std::string>();
  event.implementation = json.at(7).get<std::string>();
  return event;
}

std::string to_text(std::vector<report::TraceEvent> events, const CommonClock& clock,
                    std::size_t most) {
  const std::size_t left_out = events.size() > most ? events.size() - most : 0;
  std::ranges::stable_sort(events, {}, &report::TraceEvent::start_seconds);
  events.resize(events.size() - left_out);
  Json list = Json::array();
  for (const report::TraceEvent& event : events) list.push_back(to_json(event));
  return json_text(Json{{"offset", clock.offset_seconds},
                        {"error", clock.error_seconds},
                        {"left_out", left_out},
                        {"events", std::move(list)}});
}

}  // namespace

CommonClock read_common_clock(const network::ClockOffset& to_coordinator,
                              const std::function<double()>& devices_now) {
  constexpr double kNanosecond = 1e-9;
  CommonClock clock{0, std::numeric_limits<double>::infinity()};
  for (int i = 0; i < kReadings; ++i) {
    const double before = steady_seconds();
    const double devices = devices_now();
    const double between = (steady_seconds() - before) / 2;
    if (between < clock.error_seconds) clock = {before + between - devices, between};
  }
  clock.offset_seconds += static_cast<double>(to_coordinator.offset()) * kNanosecond;
  clock.error_seconds += static_cast<double>(to_coordinator.error()) * kNanosecond;
  return clock;
}

double CommonTrace::error_seconds() const {
  double most = 0;
  double second = 0;
  for (const auto& [task, error] : clock_errors) {
    second = std::max(second, std::min(most, error));
    most = std::max(most, error);
  }
  return most + second;
}

CommonTrace gather_trace(Task& task, const std::vector<report::TraceEvent>& own,
                         const CommonClock& clock) {
  const std::vector<std::string> texts =
      task.exchange("trace", to_text(own, clock, kMostEventsOfAll / task.tasks()));
  CommonTrace trace;
  if (!task.is_chief()) return trace;
  for (std::uint32_t rank = 0; rank < texts.size(); ++rank) {
    const Json json = parse_json(texts[rank]);
    if (json.at("events").empty()) continue;
    const std::string name = task.name_of(rank);
    trace.clock_errors[name] = json.at("error").get<double>();
    trace.left_out += json.at("left_out").get<std::size_t>();
    for (const Json& event : json.at("events"))
      trace.events.push_back(
          event_from(event, name.substr(0, name.find(" (")), json.at("offset").get<double>()));
  }
  return trace;
}

std::string trace_notice(const CommonTrace& trace) {
  if (trace.events.empty()) return {};
  std::string text = fmt::format(
      "the trace has the operations of {} tasks on one clock: times of two tasks are right within "
      "{:.3f} ms beside each other",
      trace.clock_errors.size(), 1e3 * trace.error_seconds());
  if (trace.left_out > 0)
    text += fmt::format("; the latest {} events were too many to be sent, and are left out",
                        trace.left_out);
  return text;
}

}  // namespace convoy::job
