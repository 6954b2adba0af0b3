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

// When the operations of a run's steps ran: of a few steps for --trace_file, and of the step that
// is nearest to the median for the record.
class RunTrace {
 public:
  RunTrace(const JobOptions& options, Task* task) : options_(options), task_(task) {}

  // Subscribes to the events of the training. On several hosts all tasks call it together.
  void join(runtime::TrainingEvents& events, runtime::Session& session);
  // The session has another plan from here on.
  void forget_median_step() { median_step_.forget(); }
  // Of the step nearest to the median, if that is wanted and there was one.
  std::optional<report::TimelineRecord> timeline(const runtime::Session& session) const;
  // After the training; on several hosts all tasks call it together, and the chief gets the
  // operations of all. Returns notices.
  std::vector<std::string> gather();
  // Whether there is a trace that lacks the operations of other tasks.
  bool lacks_tasks() const;
  // Writes --trace_file, if anything was traced.
  void write() const;

 private:
  void add(runtime::Session& session, const runtime::StepTrace& step);

  const JobOptions& options_;
  Task* const task_;                  // null: a run of one process
  bool wanted_ = false;               // by the chief, whose file it is
  CommonTrace trace_;                 // before gather() of this task alone
  std::optional<CommonClock> clock_;  // of several tasks, when a step was traced
  MedianStep median_step_;
};

}  // namespace convoy::job
