#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/job/setup.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/select/trial_schedule.hpp"

namespace convoy::job {

// --auto=measure: tries the candidates of the setup's shortlist during the first steps of a
// training, which goes on through them. Devices and compiled layers stay, and plans are exchanged
// between steps, so every step counts for the training, whichever plan it ran. TrialSchedule
// decides which candidate runs when; this class carries it out. It owns the strategies of the
// session's plans and must outlive the session.
class AutoTrial {
 public:
  using Tell = std::function<void(const std::string&)>;

  // The session has the plan of the setup's decision. It begins with step `first_step` and will
  // take `steps` steps. Prepares the plans of the other candidates. A candidate that cannot be
  // compared is left out with a reason. If there is nothing left to compare, the trial is over at
  // once and says why.
  AutoTrial(Setup& setup, runtime::Session& session, std::int64_t first_step, std::int64_t steps,
            const plugin::PluginLog& log, Tell tell);

  // Returns whether the trial has ended.
  bool over() const { return !schedule_ || schedule_->over(); }
  // Returns the most steps that the trial takes; 0 if there is none.
  std::int64_t most_steps() const { return most_steps_; }

  // Subscribes the trial to the events of the training. `changed` is called whenever the session
  // runs another plan, and when the trial is decided: then the setup has another decision, and
  // perhaps another strategy.
  void join(runtime::TrainingEvents& events, std::function<void()> changed);
  // Called when the training has ended. Says so if it was too early for a decision.
  void finish();

  // Returns the seconds spent on exchanging plans since the first timed step.
  double timed_exchange_seconds() const { return timed_exchange_seconds_; }

 private:
  // A candidate of the shortlist.
  struct Participant {
    select::RankedCandidate ranked;
    // Null for the first candidate, whose strategy the setup owns.
    std::unique_ptr<plugin::StrategyPlugin> strategy;
    std::shared_ptr<const runtime::PreparedPlan> plan;
    std::string left_out;
    std::optional<std::size_t> number;  // its number in the schedule
  };

  void prepare_plans(const plugin::PluginLog& log);
  void prepare(Participant& participant, const plugin::PluginLog& log);
  void begin(std::int64_t steps);
  void step(const TrainingStep& step);
  bool turn_ends_after(const runtime::PausePoint& point) const;
  void end_turn(const runtime::PausePoint& point);
  Participant& scheduled(std::size_t number);
  const Participant& in_use() const;
  std::optional<Error> use(Participant& participant, const runtime::PausePoint& point);
  void decide_now();
  select::TrialResult result() const;

  Setup& setup_;
  runtime::Session& session_;
  Tell tell_;
  std::vector<Participant> participants_;
  std::optional<select::TrialSchedule> schedule_;
  std::int64_t most_steps_ = 0;
  std::int64_t turn_end_;  // a global step
  std::int64_t timed_steps_ = 0;
  std::int64_t exchanges_ = 0;
  double exchange_seconds_ = 0;
  double timed_exchange_seconds_ = 0;
  std::function<void()> changed_;
  bool done_ = false;  // the trial is decided
};

}  // namespace convoy::job
