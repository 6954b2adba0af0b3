#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/job/tasks/echo.hpp"
#include "core/job/tasks/task_cluster.hpp"
#include "core/report/trace.hpp"

namespace convoy::job {

// The data that tasks exchange before and after the steps, as JSON texts. Readers validate
// everything, because it comes from another process: Error (kUnavailable) for any other text, or
// for impossible numbers.

// The chief's sizes, which hold for all tasks.
struct ChiefsSizes {
  std::uint32_t devices = 1;  // per worker
  std::uint32_t batch = 1;    // images per device and step
  std::int64_t warmup_steps = 0;
  std::int64_t timed_steps = 0;

  friend bool operator==(const ChiefsSizes&, const ChiefsSizes&) = default;
};
std::string to_text(const ChiefsSizes& sizes);
ChiefsSizes read_chiefs_sizes(const std::string& text);

// The text lacks the number of devices and the refusal.
std::string to_text(const TaskDevices& devices);
TaskDevices read_task_devices(const std::string& text, std::uint32_t count);

// The text lacks the task and its machine.
std::string to_text(const WorkersDevices& devices);
WorkersDevices read_workers_devices(const std::string& text);

// The links of one task to all others.
std::string to_text(const std::vector<MeasuredLink>& links);
std::vector<MeasuredLink> read_measured_links(const std::string& text, std::size_t tasks);

// Numbers of processing units, each of which represents its core.
std::string to_text(const std::vector<unsigned>& cores);
std::vector<unsigned> read_cores(const std::string& text);

// The events of one task on the clock of its devices.
struct TaskTrace {
  double offset_seconds = 0;  // to the common clock
  double error_seconds = 0;
  std::size_t left_out = 0;  // number of events that were left out
  std::vector<report::TraceEvent> events;
};
std::string to_text(const TaskTrace& trace);
TaskTrace read_task_trace(const std::string& text);

// Calls `read`, which reads another task's message about `what`. Error (kUnavailable) if it cannot
// be read.
void read_message(const char* what, const std::function<void()>& read);

}  // namespace convoy::job
