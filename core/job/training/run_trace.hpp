#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/job/options.hpp"
#include "core/job/tasks/task_trace.hpp"
#include "core/job/training/median_step.hpp"
#include "core/report/timeline_record.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// Records when the operations of a run's steps ran: a few steps for --trace_file, and for the
// record the step whose time is closest to the median.
class RunTrace {
 public:
  RunTrace(const JobOptions& options, Task* task) : options_(options), task_(task) {}

  // Subscribes to the events of the training. On several hosts, all tasks call it together.
  void join(runtime::TrainingEvents& events, runtime::Session& session);
  // Called when the session gets another plan.
  void forget_median_step() { median_step_.forget(); }
  // Returns the timeline of the step closest to the median, if it is wanted and there was one.
  std::optional<report::TimelineRecord> timeline(const runtime::Session& session) const;
  // Called after the training. On several hosts, all tasks call it together, and the chief gets the
  // operations of all. Returns notices.
  std::vector<std::string> gather();
  // Returns whether there is a trace that lacks the operations of other tasks.
  bool lacks_tasks() const;
  // Writes --trace_file, if anything was traced.
  void write() const;

 private:
  void add(runtime::Session& session, const runtime::StepTrace& step);

  const JobOptions& options_;
  Task* const task_;                  // null: a run of one process
  bool wanted_ = false;               // the chief, who writes the file, wants a trace
  CommonTrace trace_;                 // before gather(), of this task alone
  std::optional<CommonClock> clock_;  // set with several tasks, if a step was traced
  MedianStep median_step_;
};

}  // namespace convoy::job
