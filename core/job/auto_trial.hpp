#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job/setup.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/select/trial_schedule.hpp"

namespace convoy::job {

// --auto=measure: tries the candidates of the setup's shortlist during the first steps of a
// training, which goes on through them. Devices and compiled layers stay, plans are exchanged
// between steps, so every step counts for the training whoever's plan it has. What a trial is made
// of is TrialSchedule's; this carries it out. It owns the strategies of plans that the session has,
// and must outlive it.
class AutoTrial {
 public:
  using Tell = std::function<void(const std::string&)>;

  // The session has the plan of the setup's decision and begins with step `first_step`; it will
  // take `steps` of them. Prepares the plans of the other candidates; who cannot be compared is
  // left out with a reason. Where nothing is left to compare, the trial is over at once, and says
  // why.
  AutoTrial(Setup& setup, Session& session, std::int64_t first_step, std::int64_t steps,
            const PluginLog& log, Tell tell);

  // Nothing is tried any more.
  bool over() const { return !schedule_ || schedule_->over(); }
  // At most so many steps are tried; 0 when nothing is.
  std::int64_t most_steps() const { return most_steps_; }

  // Adds to the events of the training what the trial has to see and do. `changed` is called
  // whenever the session has got another plan, and when it is decided: the setup has another
  // decision, and perhaps strategy, then.
  void join(TrainingEvents& events, std::function<void()> changed);
  // The training ended; says so when it was too early for a decision.
  void finish();

  // Spent on exchanging plans since the first timed step.
  double timed_exchange_seconds() const { return timed_exchange_seconds_; }

 private:
  // Of the shortlist, in its order.
  struct Participant {
    RankedCandidate ranked;
    std::unique_ptr<StrategyPlugin> strategy;  // the first's is the setup's
    std::shared_ptr<const PreparedPlan> plan;
    std::string left_out;
    std::optional<std::size_t> number;  // in the schedule
  };

  void prepare_plans(const PluginLog& log);
  void prepare(Participant& participant, const PluginLog& log);
  void begin(std::int64_t steps);
  void step(const TrainingStep& step);
  bool turn_ends_after(const PausePoint& point) const;
  void end_turn(const PausePoint& point);
  Participant& scheduled(std::size_t number);
  const Participant& in_use() const;
  void use(Participant& participant, const PausePoint& point);
  void decide_now();
  TrialResult result() const;

  Setup& setup_;
  Session& session_;
  Tell tell_;
  std::vector<Participant> participants_;
  std::optional<TrialSchedule> schedule_;
  std::int64_t most_steps_ = 0;
  std::int64_t turn_end_;  // global step
  std::int64_t timed_steps_ = 0;
  std::int64_t exchanges_ = 0;
  double exchange_seconds_ = 0;
  double timed_exchange_seconds_ = 0;
  std::function<void()> changed_;
  bool done_ = false;  // it was decided
};

}  // namespace convoy::job
