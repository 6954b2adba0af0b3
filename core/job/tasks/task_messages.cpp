#include "core/job/tasks/task_messages.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/job/limits.hpp"

namespace convoy::job {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

template <typename Count>
Count count_from(const Json& json, std::uint64_t least, std::uint64_t most) {
  const auto count = json_count(json, most);
  if (!count || *count < least)
    refuse(fmt::format("{} is no count from {} to {}", json_text(json), least, most));
  return static_cast<Count>(*count);
}

std::vector<std::uint32_t> groups_from(const Json& json, std::uint32_t devices) {
  std::vector<std::uint32_t> groups;
  for (const Json& group : json) groups.push_back(count_from<std::uint32_t>(group, 0, UINT32_MAX));
  if (!groups.empty() && groups.size() != devices)
    refuse(fmt::format("{} groups for {} devices", groups.size(), devices));
  return groups;
}

Json json_of(const report::TraceEvent& event) {
  return Json::array({event.name, event.operation ? Json(*event.operation) : Json(nullptr),
                      event.lane, event.device, event.start_seconds, event.duration_seconds,
                      event.category, event.implementation});
}

report::TraceEvent event_from(const Json& json) {
  report::TraceEvent event;
  event.name = json.at(0).get<std::string>();
  if (!json.at(1).is_null()) event.operation = count_from<std::uint64_t>(json.at(1), 0, UINT32_MAX);
  event.lane = json.at(2).get<std::string>();
  event.device = json.at(3).get<std::string>();
  event.start_seconds = json.at(4).get<double>();
  event.duration_seconds = json.at(5).get<double>();
  event.category = json.at(6).get<std::string>();
  event.implementation = json.at(7).get<std::string>();
  return event;
}

}  // namespace

void read_message(const char* what, const std::function<void()>& read) {
  std::string problem;
  try {
    return read();
  } catch (const Json::exception& error) {
    problem = json_problem(error);
  } catch (const std::logic_error& error) {  // thrown by refuse() and by the library's conversions
    problem = error.what();
  }
  fail(ExitCode::kUnavailable,
       "another task's message about its {} cannot be read: {}; is the coordinator's address that "
       "of a convoy run?",
       what, problem);
}

std::string to_text(const ChiefsSizes& sizes) {
  return json_text(Json{{"devices", sizes.devices},
                        {"batch", sizes.batch},
                        {"warmup_steps", sizes.warmup_steps},
                        {"timed_steps", sizes.timed_steps}});
}

ChiefsSizes read_chiefs_sizes(const std::string& text) {
  ChiefsSizes sizes;
  read_message("sizes", [&] {
    const Json json = parse_json(text);
    constexpr auto kMost = static_cast<std::uint64_t>(kMostSteps);
    sizes.devices = count_from<std::uint32_t>(json.at("devices"), 1, kMostDevices);
    sizes.batch = count_from<std::uint32_t>(json.at("batch"), 1, kMostImages);
    sizes.warmup_steps = count_from<std::int64_t>(json.at("warmup_steps"), 0, kMost);
    sizes.timed_steps = count_from<std::int64_t>(json.at("timed_steps"), 0, kMost);
  });
  return sizes;
}

std::string to_text(const TaskDevices& devices) {
  return json_text(Json{{"peer_access", devices.peer_access},
                        {"priorities", devices.priorities},
                        {"kind", devices.kind},
                        {"numa", devices.groups.numa},
                        {"switch", devices.groups.pcie_switch},
                        {"nvlink", devices.groups.nvlink}});
}

TaskDevices read_task_devices(const std::string& text, std::uint32_t count) {
  TaskDevices devices;
  devices.count = count;
  read_message("devices", [&] {
    const Json json = parse_json(text);
    devices.peer_access = json.at("peer_access").get<bool>();
    devices.priorities = json.at("priorities").get<bool>();
    devices.kind = json.at("kind").get<std::string>();
    devices.groups = {groups_from(json.at("numa"), count), groups_from(json.at("switch"), count),
                      groups_from(json.at("nvlink"), count)};
  });
  return devices;
}

std::string to_text(const WorkersDevices& devices) {
  return json_text(Json{
      {"refusal", devices.refusal}, {"names", devices.names}, {"localities", devices.localities}});
}

WorkersDevices read_workers_devices(const std::string& text) {
  WorkersDevices devices;
  read_message("devices", [&] {
    const Json json = parse_json(text);
    devices.refusal = json.at("refusal").get<std::string>();
    devices.names = json.at("names").get<std::vector<std::string>>();
    devices.localities = json.at("localities").get<std::vector<std::string>>();
    if (devices.names.size() != devices.localities.size())
      refuse(fmt::format("{} names and {} localities of devices", devices.names.size(),
                         devices.localities.size()));
  });
  return devices;
}

std::string to_text(const std::vector<MeasuredLink>& links) {
  Json json = Json::array();
  for (const MeasuredLink& link : links)
    json.push_back({link.round_trip_seconds, link.bytes_per_second, link.both_ways_bytes_per_second,
                    link.processor_seconds_per_byte});
  return json_text(json);
}

std::vector<MeasuredLink> read_measured_links(const std::string& text, std::size_t tasks) {
  std::vector<MeasuredLink> links;
  read_message("links", [&] {
    for (const Json& link : parse_json(text))
      links.push_back({link.at(0).get<double>(), link.at(1).get<double>(), link.at(2).get<double>(),
                       link.at(3).get<double>()});
    if (links.size() != tasks) refuse(fmt::format("{} links to {} tasks", links.size(), tasks));
  });
  return links;
}

std::string to_text(const std::vector<unsigned>& cores) {
  return json_text(Json(cores));
}

std::vector<unsigned> read_cores(const std::string& text) {
  std::vector<unsigned> cores;
  read_message("cores", [&] {
    for (const Json& core : parse_json(text))
      cores.push_back(count_from<unsigned>(core, 0, UINT32_MAX));
  });
  return cores;
}

std::string to_text(const TaskTrace& trace) {
  Json list = Json::array();
  for (const report::TraceEvent& event : trace.events) list.push_back(json_of(event));
  return json_text(Json{{"offset", trace.offset_seconds},
                        {"error", trace.error_seconds},
                        {"left_out", trace.left_out},
                        {"events", std::move(list)}});
}

TaskTrace read_task_trace(const std::string& text) {
  TaskTrace trace;
  read_message("trace", [&] {
    const Json json = parse_json(text);
    trace.offset_seconds = json.at("offset").get<double>();
    trace.error_seconds = json.at("error").get<double>();
    trace.left_out = count_from<std::size_t>(json.at("left_out"), 0, UINT32_MAX);
    for (const Json& event : json.at("events")) trace.events.push_back(event_from(event));
  });
  return trace;
}

}  // namespace convoy::job
