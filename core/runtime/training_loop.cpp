#include "core/runtime/training_loop.hpp"

#include <deque>
#include <utility>

#include "core/plan/stages.hpp"
#include "core/runtime/asynchronous/asynchronous_loop.hpp"
#include "core/runtime/guarded_steps.hpp"
#include "core/runtime/step_describer.hpp"
#include "core/runtime/step_end.hpp"
#include "core/runtime/step_totals.hpp"

namespace convoy::runtime {
namespace {

// More waits than there are steps in flight.
constexpr std::size_t kTracedWaits = 8;

// A step between its submission and its completion.
struct OpenStep {
  std::int64_t number = 0;  // 0-based, warm-up included
  std::int64_t images = 0;
  double learning_rate = 0;
  double input_asked = 0;  // when its images were asked for
  double input_ready = 0;  // when its images had arrived
};

PartOfSteps part_of(const Session& session) {
  return {session.task() == nullptr ? 0 : session.task()->host, session.local_replicas(),
          session.schedule().submission.size()};
}

class Loop {
 public:
  Loop(Session& session, data::BatchSource& source, const train::LearningRateSchedule& schedule,
       const TrainingLoopOptions& options, const TrainingEvents& events)
      : session_(session),
        source_(source),
        schedule_(schedule),
        options_(options),
        events_(events),
        describer_(session),
        meter_(session.lowered_plan(), part_of(session)) {}

  TrainingSummary run() {
    run_guarded(session_, events_, [this] { run_steps(); });
    summary_.stopped = stopping_;
    summary_.breakdown = meter_.mean_step();
    const PausePoint end = point(finished_);
    summary_.last_step = end.timed_step;
    summary_.global_step = end.global_step;
    return summary_;
  }

 private:
  void run_steps() {
    const std::int64_t all = options_.warmup_steps + options_.timed_steps;
    last_end_ = session_.devices()->now();
    if (options_.warmup_steps == 0) start_clock(last_end_);
    while (finished_ < all && !(stopping_ && open_.empty()) && !summary_.ended_early) {
      const auto depth = static_cast<std::size_t>(session_.executor().steps_in_flight());
      while (!stopping_ && !drains() && submitted_ < all && open_.size() < depth) submit();
      if (open_.empty()) break;
      finish();
      if (events_.stop_requested && events_.stop_requested()) wants_to_stop_ = true;
      if (events_.save_requested && events_.save_requested()) wants_to_save_ = true;
      if (session_.task() == nullptr) {
        stopping_ = wants_to_stop_;
        save_asked_ = save_asked_ || std::exchange(wants_to_save_, false);
      }
      if (drains() && open_.empty() && !stopping_) pause();
    }
  }

  // Whether no step may be submitted until the open steps are finished.
  bool drains() const { return pausing_ || changing_ || entering_; }

  // Returns the point after `steps` steps of this run.
  PausePoint point(std::int64_t steps) const {
    return {steps - options_.warmup_steps, options_.first_step + steps, false};
  }

  void pause() {
    const bool changing = std::exchange(changing_, false);
    if (std::exchange(pausing_, false) && events_.paused)
      summary_.ended_early = !events_.paused(point(finished_));
    if (changing && events_.change_plan && !summary_.ended_early) {
      events_.change_plan(point(finished_));
      meter_.use_plan(session_.lowered_plan());
    }
    const bool goes_on =
        finished_ < options_.warmup_steps + options_.timed_steps && !summary_.ended_early;
    if (std::exchange(entering_, false) && goes_on) {
      session_.enter_stage(options_.first_step + finished_);
      meter_.use_plan(session_.lowered_plan());
    }
    last_end_ = session_.devices()->now();
    if (finished_ >= options_.warmup_steps) summary_.total_seconds = last_end_ - started_;
  }

  void take_images(OpenStep& step) {
    try {
      for (const std::uint32_t replica : session_.local_replicas()) {
        const data::Batch& batch =
            source_.acquire(static_cast<int>(replica), options_.first_step + step.number);
        input_.batches[replica] = {batch.images, batch.labels};
        step.images += batch.count;
      }
    } catch (const Error&) {
      input_failed();
      throw;
    }
  }

  // Finishes the open steps, so that what they trained can be saved. The steps of several hosts
  // cannot be finished so, because the others have submitted one more.
  void input_failed() {
    if (session_.task() != nullptr || !events_.input_failed) return;
    while (!open_.empty()) finish();
    events_.input_failed(point(finished_));
  }

  void submit() {
    StepInput& input = input_;
    input.batches.assign(session_.cluster().replicas(), {});
    OpenStep step{submitted_, 0, schedule_.at(options_.first_step + submitted_),
                  session_.devices()->now(), 0};
    take_images(step);
    step.input_ready = session_.devices()->now();
    note_wait({step.input_asked, step.input_ready});
    input.learning_rate = step.learning_rate;
    session_.executor().submit_step(input);
    open_.push_back(step);
    ++submitted_;
    if (submitted_ > options_.warmup_steps && events_.pause_after) {
      PausePoint next = point(submitted_);
      next.save_asked = std::exchange(save_asked_, false);
      pausing_ = events_.pause_after(next);
    }
    if (events_.plan_changes_after) changing_ = events_.plan_changes_after(point(submitted_));
    entering_ =
        plan::stage_begins_with(session_.plan()->step.lowered(),
                                static_cast<std::uint64_t>(options_.first_step + submitted_));
  }

  void note_wait(const TimeInterval& wait) {
    meter_.waited_for_input(wait);
    if ((!events_.trace || traced_) && !events_.timed_trace) return;
    const std::int64_t index = submitted_ - options_.warmup_steps;
    waits_.push_back({index < 0 ? index : index + 1, wait});
    if (waits_.size() > kTracedWaits) waits_.pop_front();
  }

  StepTrace trace_of(std::int64_t number, const TimeInterval& step) {
    return {
        number,          step, session_.executor().last_times(), {waits_.begin(), waits_.end()}, {},
        session_.stage()};
  }

  void finish() {
    const OpenStep step = open_.front();
    const StepResult& result = session_.executor().finish_step();
    open_.erase(open_.begin());
    ++finished_;
    for (const std::uint32_t replica : session_.local_replicas())
      source_.release(static_cast<int>(replica), options_.first_step + step.number);
    const double end = end_of_step(result.end, last_end_, session_.devices()->now());
    report(step, end, totals(result, step.images));
  }

  // All hosts finish their steps in the same order and have submitted the same number, so the
  // exchanged values belong to the same step on all hosts.
  StepTotals totals(const StepResult& result, std::int64_t images) {
    StepTotals own = local_totals(result, session_.local_replicas(), images);
    own_loss_ = own.mean_loss();
    if (session_.task() == nullptr) return own;
    own.stops = wants_to_stop_;
    own.saves = std::exchange(wants_to_save_, false);
    StepTotals all = totals_of_all(own, *session_.task()->peers);
    stopping_ = stopping_ || all.stops;
    save_asked_ = save_asked_ || all.saves;
    return all;
  }

  void report(const OpenStep& open, double end, const StepTotals& totals) {
    const std::int64_t index = open.number - options_.warmup_steps;
    TrainingStep step = describer_.describe(totals, own_loss_, open.learning_rate);
    step.number = index < 0 ? index : index + 1;
    step.seconds = end - last_end_;
    step.input_wait_seconds = input_wait(open.input_asked, open.input_ready, last_end_, end);
    const TimeInterval time{last_end_, end};
    meter_.finished(session_.executor().last_times(), index < 0 ? TimeInterval{} : time);
    last_end_ = end;
    note_divergence(step, options_, summary_);
    if (index == (options_.warmup_steps < 2 ? 0 : -2) && events_.trace) {
      traced_ = true;
      events_.trace(trace_of(step.number, time));
    }
    if (index < 0) {
      if (events_.warmup_step) events_.warmup_step(step);
      if (index == -1) start_clock(end);
      return;
    }
    ++summary_.timed_steps;
    summary_.total_seconds = end - started_;
    summary_.input_wait_seconds += step.input_wait_seconds;
    if (events_.timed_trace && events_.wants_timed_trace(step))
      events_.timed_trace(trace_of(step.number, time));
    if (events_.timed_step) events_.timed_step(step);
  }

  void start_clock(double now) {
    started_ = now;
    last_end_ = now;
    if (events_.warmed_up) events_.warmed_up();
  }

  Session& session_;
  data::BatchSource& source_;
  const train::LearningRateSchedule& schedule_;
  const TrainingLoopOptions& options_;
  const TrainingEvents& events_;
  TrainingSummary summary_;
  StepInput input_;             // its memory serves every step
  std::vector<OpenStep> open_;  // the oldest first
  std::int64_t submitted_ = 0;
  std::int64_t finished_ = 0;
  bool wants_to_stop_ = false;  // this host wants to stop
  bool stopping_ = false;       // all hosts stop
  bool wants_to_save_ = false;  // this host was asked to save
  bool save_asked_ = false;     // a host was asked to save
  bool pausing_ = false;        // a pause follows the open steps
  bool changing_ = false;       // a change of plan follows them
  bool entering_ = false;       // another stage of the plan follows them
  double started_ = 0;
  double last_end_ = 0;
  bool traced_ = false;
  std::deque<StepTrace::InputWait> waits_;
  double own_loss_ = 0;  // loss of the last finished step
  StepDescriber describer_;
  BreakdownMeter meter_;
};

}  // namespace

TrainingSummary run_training(Session& session, data::BatchSource& source,
                             const train::LearningRateSchedule& schedule,
                             const TrainingLoopOptions& options, const TrainingEvents& events) {
  if (session.is_asynchronous())
    return run_asynchronous_training(session, source, schedule, options, events);
  return Loop(session, source, schedule, options, events).run();
}

}  // namespace convoy::runtime
