#include "core/report/html/embedded_data.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/report/html/record_fields.hpp"

namespace convoy::report {
namespace {

constexpr std::size_t kMostSteps = 12000;   // in all records together
constexpr std::size_t kMostEvents = 12000;  // events of timelines, in all records together

double rounded(double value) {
  const std::string digits = fmt::format("{:.7g}", value);
  double result = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), result);
  return result;
}

// Returns {"step": [1, 2 ...], "seconds": [...] ...}. Leaves out norms of single variables, because
// they are not single numbers of a step, and values that follow from other columns.
Json columns(const Json& steps, std::size_t every) {
  Json result = Json::object();
  for (std::size_t i = 0; i < steps.size(); i += every)
    for (const auto& [name, value] : steps[i].items())
      if (name != "images_per_sec" && !value.is_structured())
        result[name].push_back(value.is_number_float() ? Json(rounded(value.get<double>()))
                                                       : value);
  return result;
}

void replace_steps(Json& record, std::size_t room, Json& left_out) {
  if (!record.contains("steps") || !record["steps"].is_array()) return;
  const Json steps = std::move(record["steps"]);
  const std::size_t every = steps.size() / std::max<std::size_t>(1, room) + 1;
  if (every > 1) left_out.push_back(fmt::format("steps: one of every {} is kept", every));
  record["steps"] = columns(steps, every);
}

void drop_long_timeline(Json& holder, std::size_t room, Json& left_out) {
  if (!holder.is_object() || !holder.contains("timeline")) return;
  Json& timeline = holder["timeline"];
  if (!timeline.is_object() || field(timeline, "events").size() <= room) return;
  left_out.push_back(fmt::format("the {} events of a timeline", field(timeline, "events").size()));
  timeline.erase("events");
}

}  // namespace

nlohmann::ordered_json embedded_data(const std::vector<NamedRecord>& records) {
  Json list = Json::array();
  for (const NamedRecord& named : records) {
    Json record = named.record;
    Json left_out = Json::array();
    replace_steps(record, kMostSteps / records.size(), left_out);
    const std::size_t room = kMostEvents / records.size();
    drop_long_timeline(record, room, left_out);
    if (record.contains("prediction")) drop_long_timeline(record["prediction"], room, left_out);
    if (record.contains("results"))
      for (Json& result : record["results"]) drop_long_timeline(result, room, left_out);
    list.push_back({{"name", named.name}, {"record", std::move(record)}, {"left_out", left_out}});
  }
  return list;
}

}  // namespace convoy::report
