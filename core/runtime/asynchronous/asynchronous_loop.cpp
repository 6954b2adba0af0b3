#include "core/runtime/asynchronous/asynchronous_loop.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/runtime/asynchronous/meeting.hpp"
#include "core/runtime/asynchronous/strand_run.hpp"
#include "core/runtime/asynchronous/worker_reports.hpp"
#include "core/runtime/guarded_steps.hpp"
#include "core/runtime/step_describer.hpp"
#include "core/runtime/step_end.hpp"

namespace convoy::runtime {
namespace {

// While nothing happens, the polling interval doubles.
constexpr std::chrono::microseconds kShortestRest{50};
constexpr std::chrono::microseconds kLongestRest{300};
// Interval of the checks for operations that hang.
constexpr std::chrono::milliseconds kBetweenLooks{10};
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

class AsynchronousLoop {
 public:
  AsynchronousLoop(Session& session, data::BatchSource& source,
                   const train::LearningRateSchedule& schedule, const TrainingLoopOptions& options,
                   const TrainingEvents& events)
      : session_(session),
        peers_(session.task() == nullptr ? nullptr : session.task()->peers),
        schedule_(schedule),
        options_(options),
        events_(events),
        workers_(session.schedule().strands.count),
        meeting_(peers_, events),
        describer_(session) {
    for (const auto& executor : session.strands())
      if (executor->strand() != CONVOY_NONE)
        strands_.emplace_back(session, *executor, source, options.first_step);
    for (StrandRun& strand : strands_)
      if (strand.has_replicas()) own_.push_back({&strand});
    // With several workers, the times of operations overlap, so there is no breakdown.
    if (own_.size() == 1)
      meter_.emplace(
          session.lowered_plan(),
          PartOfSteps{peers_ == nullptr ? 0 : session.task()->host, own_.front().strand->replicas(),
                      session.schedule().submission.size()});
  }

  TrainingSummary run() {
    run_guarded(session_, events_, [this] {
      warm_up();
      train();
      go_until([this] { return all_are_there(); });
      conclude();
    });
    return summary_;
  }

 private:
  // A worker on this host.
  struct Own {
    StrandRun* strand;
    WorkerRecord summary = {};
    std::int64_t images = 0;  // images of its timed steps
  };

  void warm_up() {
    for (StrandRun& strand : strands_) {
      strand.restart_clock(session_.devices()->now());
      strand.go_to(options_.warmup_steps);
    }
    go_until([this] { return all_are_there(); });
    if (peers_ != nullptr) meet("");
  }

  void train() {
    started_ = session_.devices()->now();
    if (session_.gate() != nullptr) session_.gate()->staleness().forget();
    is_timed_ = true;
    if (events_.warmed_up) events_.warmed_up();
    LastSteps last;
    do {
      const double begin = session_.devices()->now();
      for (StrandRun& strand : strands_) {
        strand.restart_clock(begin);
        strand.go_to(kNoLimit);
      }
      last = drain();
    } while (!last.over && pause(last));
    is_timed_ = false;
    summary_.total_seconds =
        (last_end_ > started_ ? last_end_ : session_.devices()->now()) - started_;
    summary_.stopped = last.stopped;
    const PausePoint end = point_at(steps_of(last));
    summary_.last_step = end.timed_step;
    summary_.global_step = end.global_step;
  }

  // Runs until all hosts agree to meet, and to the step at which each will then be.
  LastSteps drain() {
    std::optional<bool> is_last;
    if (!own_.empty()) {
      go_until([&] { return (is_last = agreed_to_meet()).has_value(); });
      for (const Own& own : own_) own.strand->go_to(own.strand->submitted());
      if (*is_last) is_timed_ = false;
      meeting_.hear();  // the task that requested this drain has told the reason before
    }
    LastSteps last = own_last_steps(is_last.value_or(false));
    if (peers_ != nullptr) last = last_steps_of_all(meet(to_text(last)), workers_);
    take(last);
    if (!last.over) go_until([this] { return all_are_there(); });
    meeting_.finish();
    return last;
  }

  // Returns whether to continue.
  bool pause(const LastSteps& last) {
    PausePoint point = point_at(steps_of(last));
    point.save_asked = meeting_.someone_asked_to_save();
    if (events_.pause_after && events_.pause_after(point) && events_.paused)
      summary_.ended_early = !events_.paused(point);
    last_end_ = session_.devices()->now();
    return !summary_.ended_early;
  }

  // Returns the average number of steps per worker, warm-up included.
  std::int64_t steps_of(const LastSteps& last) const {
    std::int64_t updates = 0;
    for (const auto& [strand, steps] : last.by_strand) updates += steps;
    return updates / workers_;
  }
  PausePoint point_at(std::int64_t steps) const {
    return {steps - options_.warmup_steps, options_.first_step + steps, false};
  }

  // Servers may already have queued as many steps ahead as can be open; these wait for this worker,
  // so it must take them.
  LastSteps own_last_steps(bool is_last) const {
    LastSteps last{{}, meeting_.wants_to_stop(), is_last};
    const std::int64_t computes = session_.lowered_plan().computes;
    for (const Own& own : own_) {
      const std::int64_t steps =
          own.strand->submitted() + (peers_ == nullptr ? 0 : own.strand->depth());
      last.by_strand[own.strand->number()] = (steps + computes - 1) / computes * computes;
    }
    return last;
  }

  // If strands wait for each other within a bound, all must take as many steps as the furthest one.
  void take(LastSteps& last) {
    std::int64_t furthest = 0;
    for (const auto& [strand, steps] : last.by_strand) furthest = std::max(furthest, steps);
    if (plan::strands_wait(session_.plan()->step.schedule()))
      for (auto& [strand, steps] : last.by_strand) steps = furthest;
    for (StrandRun& strand : strands_) {
      CONVOY_CHECK_LE(strand.submitted(), last.by_strand.at(strand.number()));
      strand.go_to(last.by_strand.at(strand.number()));
    }
  }

  // Speeds of all workers, and how stale their updates were.
  void conclude() {
    std::vector<WorkerRecord> known;
    for (Own& own : own_) {
      own.summary.worker = own.strand->number();
      own.summary.seconds = summary_.total_seconds;
      if (own.summary.seconds > 0)
        own.summary.images_per_second = static_cast<double>(own.images) / own.summary.seconds;
      summary_.timed_steps += own.summary.steps;
      known.push_back(own.summary);
    }
    for (std::uint32_t strand = 0; session_.gate() != nullptr && strand < workers_; ++strand)
      known.push_back({strand, 0, 0, 0, session_.gate()->staleness().seen()[strand]});
    std::vector<std::string> texts{to_text(known)};
    if (peers_ != nullptr) texts = peers_->exchange(texts.front());
    summary_.workers = workers_of_all(texts, workers_);
    if (meter_) summary_.breakdown = meter_->mean_step();
  }

  bool all_are_there() const { return std::ranges::all_of(strands_, &StrandRun::is_there); }

  // Whether all updates of the run are done except the last one, as tf_cnn_benchmarks counts them.
  bool is_enough(std::int64_t steps) const {
    return steps >= std::int64_t{workers_} * options_.timed_steps - 1;
  }

  // Whether all hosts meet now, and if so, whether for the end. Only the chief knows the steps of
  // all.
  std::optional<bool> agreed_to_meet() {
    meeting_.hear();
    const std::optional<std::int64_t> heard =
        peers_ == nullptr ? own_timed_ : peers_->steps_of_all();
    const bool is_pause_due =
        heard && events_.wants_pause &&
        events_.wants_pause(point_at(options_.warmup_steps + *heard / workers_));
    return meeting_.agreed(is_enough(std::max(heard.value_or(0), own_timed_)), is_pause_due);
  }

  // Exchanges a text with all hosts. Strands that may continue run meanwhile.
  std::vector<std::string> meet(const std::string& own) {
    peers_->begin_exchange(own);
    std::optional<std::vector<std::string>> all;
    go_until([&] {
      meeting_.hear();
      all = peers_->exchanged();
      return all.has_value();
    });
    return std::move(*all);
  }

  template <typename Done>
  void go_until(Done done) {
    while (!done()) {
      if (look())
        rest_ = kShortestRest;
      else
        rest();
    }
  }

  // Passes operations through the gate, and submits and finishes as many steps as possible. A
  // worker without images does not hold up the others. If there is only one worker, it waits for
  // its images and its step instead of polling.
  bool look() {
    const bool alone = strands_.size() == 1 && session_.gate() == nullptr;
    bool moved = session_.gate() != nullptr && session_.gate()->pump();
    for (StrandRun& strand : strands_) {
      while (strand.may_submit() && (alone || strand.input_is_ready())) {
        strand.submit(learning_rate());
        moved = true;
      }
      if (!strand.has_open() || !(alone || strand.executor().step_is_finished())) continue;
      finish(strand);
      moved = true;
    }
    return moved;
  }

  // The rate at the average step of the workers with a strand here; a server has all of them.
  double learning_rate() const {
    std::int64_t steps = 0;
    for (const StrandRun& strand : strands_) steps += strand.submitted();
    return schedule_.at(options_.first_step + steps / static_cast<std::int64_t>(strands_.size()));
  }

  // Waiting for a peer, or for a strand that moves, is no failure of this host.
  void rest() {
    std::this_thread::sleep_for(rest_);
    rest_ = std::min(2 * rest_, kLongestRest);
    for (StrandRun& strand : strands_) strand.executor().require_network();
    const auto now = std::chrono::steady_clock::now();
    if (now - last_look_ < kBetweenLooks) return;
    last_look_ = now;
    const double deadline = session_.options().executor.deadline_seconds;
    bool still = false;
    bool hope = false;
    for (StrandRun& strand : strands_) {
      if (!strand.has_open()) continue;
      const Stillness it = strand.executor().look();
      still = still || it.seconds >= deadline;
      hope = hope || it.waits_for_peer || it.seconds < deadline;
    }
    if (still && !hope)
      fail(ExitCode::kTimeout, "no progress for {} s, and every queued operation waits for another",
           deadline);
  }

  void finish(StrandRun& strand) {
    const StrandStep step = strand.finish();
    trace(strand, step);
    if (!strand.has_replicas()) return;
    const auto own = std::ranges::find(own_, &strand, &Own::strand);
    const bool warm = strand.finished() <= options_.warmup_steps;
    if (meter_) {
      meter_->waited_for_input({step.input_asked, step.input_ready});
      meter_->finished(strand.executor().last_times(),
                       is_timed_ && !warm ? TimeInterval{step.begin, step.end} : TimeInterval{});
    }
    if (!warm && !is_timed_) return;  // the end is agreed
    if (!warm) count(*own, step);
    tell(step, warm ? step.number - options_.warmup_steps : own_timed_);
  }

  void trace(StrandRun& strand, const StrandStep& step) const {
    const std::int64_t index = step.number - options_.warmup_steps;
    if (!events_.trace || index != (options_.warmup_steps < 2 ? 0 : -2)) return;
    StepTrace trace;
    trace.number = index < 0 ? index : index + 1;
    trace.step = {step.begin, step.end};
    trace.operations = strand.executor().last_times();
    trace.strand = strand.number();
    if (strand.has_replicas())
      trace.waits.push_back({trace.number, {step.input_asked, step.input_ready}});
    events_.trace(trace);
  }

  void count(Own& own, const StrandStep& step) {
    ++own.summary.steps;
    own.images += step.images;
    ++own_timed_;
    last_end_ = std::max(last_end_, step.end);
    if (peers_ != nullptr) peers_->tell_steps(own_timed_);
  }

  void tell(const StrandStep& open, std::int64_t number) {
    TrainingStep step =
        describer_.describe(open.totals, open.totals.mean_loss(), open.learning_rate);
    step.number = number;
    step.seconds = open.end - open.begin;
    step.input_wait_seconds = input_wait(open.input_asked, open.input_ready, open.begin, open.end);
    note_divergence(step, options_, summary_);
    if (number > 0) summary_.input_wait_seconds += step.input_wait_seconds;
    const auto& event = number > 0 ? events_.timed_step : events_.warmup_step;
    if (event) event(step);
  }

  Session& session_;
  Peers* peers_;  // null: one host
  const train::LearningRateSchedule& schedule_;
  const TrainingLoopOptions& options_;
  const TrainingEvents& events_;
  std::uint32_t workers_;
  Meeting meeting_;
  StepDescriber describer_;
  std::optional<BreakdownMeter> meter_;
  TrainingSummary summary_;
  std::deque<StrandRun> strands_;  // strands with a part on this host
  std::vector<Own> own_;
  std::int64_t own_timed_ = 0;  // timed steps of all workers on this host
  bool is_timed_ = false;
  double started_ = 0;
  double last_end_ = 0;
  std::chrono::microseconds rest_ = kShortestRest;
  std::chrono::steady_clock::time_point last_look_;
};

}  // namespace

TrainingSummary run_asynchronous_training(Session& session, data::BatchSource& source,
                                          const train::LearningRateSchedule& schedule,
                                          const TrainingLoopOptions& options,
                                          const TrainingEvents& events) {
  return AsynchronousLoop(session, source, schedule, options, events).run();
}

}  // namespace convoy::runtime
