#include "core/job/training/run_trace.hpp"

#include <utility>

#include "core/job/simulation/prediction_options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/training/trace_events.hpp"
#include "core/report/trace.hpp"

namespace convoy::job {

void RunTrace::join(runtime::TrainingEvents& events, runtime::Session& session) {
  wanted_ = chiefs_answer(task_, "trace wanted", !options_.trace_file.empty());
  if (wanted_)
    events.trace = [this, &session](const runtime::StepTrace& step) { add(session, step); };
  if (!wants_timeline(options_)) return;
  events.wants_timed_trace = [this](const TrainingStep& step) {
    return median_step_.is_nearer(step.seconds);
  };
  events.timed_trace = [this](runtime::StepTrace step) { median_step_.keep(std::move(step)); };
}

void RunTrace::add(runtime::Session& session, const runtime::StepTrace& step) {
  if (task_ != nullptr && !clock_)
    clock_ = task_->common_clock([&session] { return session.devices()->now(); });
  const std::vector<report::TraceEvent> events = trace_events(session, step);
  trace_.events.insert(trace_.events.end(), events.begin(), events.end());
}

std::optional<report::TimelineRecord> RunTrace::timeline(const runtime::Session& session) const {
  if (!median_step_.kept()) return std::nullopt;
  const runtime::StepTrace& step = *median_step_.kept();
  return report::TimelineRecord{step.number, step.step.end - step.step.start,
                                trace_events(session, step)};
}

std::vector<std::string> RunTrace::gather() {
  std::vector<std::string> notices;
  if (!wanted_) return notices;
  if (task_ != nullptr) {
    trace_ = gather_trace(*task_, trace_.events, clock_.value_or(CommonClock{}));
    notices.push_back(trace_notice(trace_));
  }
  if (!options_.trace_file.empty() && trace_.events.empty())
    notices.emplace_back("no step was traced, because too few were run: no trace file is written");
  return notices;
}

bool RunTrace::lacks_tasks() const {
  return task_ != nullptr && wanted_ && !trace_.events.empty();
}

void RunTrace::write() const {
  const std::string& file = options_.trace_file;
  if (!file.empty() && !trace_.events.empty())
    report::write_trace(trace_.events, file, trace_.clock_errors);
}

}  // namespace convoy::job
