#include "core/job/tasks/task_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/process/clocks.hpp"
#include "core/base/text/json.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/report/profile_record.hpp"
#include "core/report/run_record.hpp"

namespace convoy::job {
namespace {

// An event takes some 120 bytes. The coordinator sends those of all tasks to every task, at most 64
// MB.
constexpr std::size_t kMostEventsOfAll = 400'000;
constexpr int kReadings = 5;  // readings of both clocks together; the quickest one counts

// If there are more events, the latest are left out.
TaskTrace at_most(std::vector<report::TraceEvent> events, const CommonClock& clock,
                  std::size_t most) {
  const std::size_t left_out = events.size() > most ? events.size() - most : 0;
  std::ranges::stable_sort(events, {}, &report::TraceEvent::start_seconds);
  events.resize(events.size() - left_out);
  return {clock.offset_seconds, clock.error_seconds, left_out, std::move(events)};
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
      task.exchange("trace", to_text(at_most(own, clock, kMostEventsOfAll / task.tasks())));
  CommonTrace trace;
  if (!task.is_chief()) return trace;
  for (std::uint32_t rank = 0; rank < texts.size(); ++rank) {
    TaskTrace of_task = read_task_trace(texts[rank]);
    if (of_task.events.empty()) continue;
    const std::string name = task.name_of(rank);
    trace.clock_errors[name] = of_task.error_seconds;
    trace.left_out += of_task.left_out;
    for (report::TraceEvent& event : of_task.events) {
      event.device = fmt::format("{} {}", name.substr(0, name.find(" (")), event.device);
      event.start_seconds += of_task.offset_seconds;
      trace.events.push_back(std::move(event));
    }
  }
  return trace;
}

std::string trace_notice(const CommonTrace& trace) {
  if (trace.events.empty()) return {};
  std::string text = fmt::format(
      "the trace has the operations of {} tasks on one clock: times of two tasks agree within "
      "{:.3f} ms",
      trace.clock_errors.size(), 1e3 * trace.error_seconds());
  if (trace.left_out > 0)
    text += fmt::format("; the latest {} events were too many to be sent, and are left out",
                        trace.left_out);
  return text;
}

std::vector<report::TaskRecord> tasks_of_run(Task& task, const runtime::StepBreakdown& own) {
  std::vector<std::string> names;
  for (std::uint32_t rank = 0; rank < task.tasks(); ++rank) names.push_back(task.name_of(rank));
  const std::vector<std::string> texts = task.finish(json_text(report::to_json(own)));
  std::vector<report::TaskRecord> records;
  for (std::size_t rank = 0; rank < texts.size() && rank < names.size(); ++rank) {
    report::TaskRecord record{names[rank], {}, {}};
    read_message("step", [&] {
      record.step_breakdown = report::read_breakdown(parse_ordered_json(texts[rank]));
      for (const auto& [host, seconds] : record.step_breakdown.network_by_host)
        record.waited_for[names.at(host)] = seconds;
    });
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace convoy::job
