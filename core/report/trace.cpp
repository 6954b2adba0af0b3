#include "core/report/trace.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/base/files/output_file.hpp"
#include "core/base/text/json.hpp"

namespace convoy::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicrosecondsPerSecond = 1e6;

// Numbers names in the order of their first appearance.
class Numbering {
 public:
  std::size_t number_of(const std::string& name) {
    const auto [found, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

// The place of an event: its device and the lane there, by number.
struct EventRow {
  std::size_t process = 0;
  std::size_t thread = 0;
};

class Rows {
 public:
  explicit Rows(const std::vector<TraceEvent>& events) {
    for (const TraceEvent& event : events) {
      const std::size_t process = devices_.number_of(event.device);
      lanes_.resize(devices_.names().size());
      rows_.push_back({process, lanes_[process].number_of(event.lane)});
    }
  }

  const EventRow& of(std::size_t event) const { return rows_[event]; }
  const std::vector<std::string>& devices() const { return devices_.names(); }
  const std::vector<std::string>& lanes(std::size_t process) const {
    return lanes_[process].names();
  }

 private:
  Numbering devices_;
  std::vector<Numbering> lanes_;  // by device
  std::vector<EventRow> rows_;    // by event
};

Json metadata(const char* kind, std::size_t process, std::size_t thread, Json arguments) {
  return {{"ph", "M"},
          {"name", kind},
          {"pid", process},
          {"tid", thread},
          {"args", std::move(arguments)}};
}

Json event_record(const TraceEvent& event, const EventRow& row, double origin) {
  Json arguments = Json::object();
  if (event.operation) arguments["operation"] = *event.operation;
  if (!event.implementation.empty()) arguments["implementation"] = event.implementation;
  return {{"ph", "X"},
          {"name", event.name},
          {"cat", event.category},
          {"pid", row.process},
          {"tid", row.thread},
          {"ts", (event.start_seconds - origin) * kMicrosecondsPerSecond},
          {"dur", event.duration_seconds * kMicrosecondsPerSecond},
          {"args", std::move(arguments)}};
}

// Appends records to the text one by one, because all records of a large cluster as JSON values
// take ten times the memory of their text.
class RecordWriter {
 public:
  explicit RecordWriter(std::string& text) : text_(text) {}

  void add(const Json& record) {
    if (!std::exchange(is_first_, false)) text_ += ',';
    text_ += json_text(record);
  }

 private:
  std::string& text_;
  bool is_first_ = true;
};

void add_names(const Rows& rows, RecordWriter& records) {
  for (std::size_t process = 0; process < rows.devices().size(); ++process) {
    const std::vector<std::string>& lanes = rows.lanes(process);
    records.add(metadata("process_name", process, 0, {{"name", rows.devices()[process]}}));
    records.add(metadata("process_sort_index", process, 0, {{"sort_index", process}}));
    for (std::size_t thread = 0; thread < lanes.size(); ++thread) {
      records.add(metadata("thread_name", process, thread, {{"name", lanes[thread]}}));
      records.add(metadata("thread_sort_index", process, thread, {{"sort_index", thread}}));
    }
  }
}

}  // namespace

std::string chrome_trace(const std::vector<TraceEvent>& events,
                         const std::map<std::string, double>& clock_errors) {
  const Rows rows(events);
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Events that enclose others come before them.
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return events[i].start_seconds; });
  std::string text = R"({"displayTimeUnit":"ms","traceEvents":[)";
  RecordWriter records(text);
  add_names(rows, records);
  for (const std::size_t i : order)
    records.add(event_record(events[i], rows.of(i), events[order.front()].start_seconds));
  text += ']';
  if (!clock_errors.empty())
    text += R"(,"otherData":)" + json_text(Json{{"clock_error_seconds", clock_errors}});
  return text + "}\n";
}

void write_trace(const std::vector<TraceEvent>& events, const std::filesystem::path& path,
                 const std::map<std::string, double>& clock_errors) {
  write_output_file(path, chrome_trace(events, clock_errors));
}

}  // namespace convoy::report
