#include "core/job/auto/auto_trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::job {

AutoTrial::AutoTrial(Setup& setup, runtime::Session& session, std::int64_t first_step,
                     std::int64_t steps, const plugin::PluginLog& log, Tell tell)
    : setup_(setup), session_(session), tell_(std::move(tell)), turn_end_(first_step) {
  for (const select::RankedCandidate& each : setup.shortlist->candidates)
    participants_.push_back({each, {}, {}, {}, {}});
  prepare_plans(log);
  begin(steps);
}

void AutoTrial::prepare_plans(const plugin::PluginLog& log) {
  Participant& first = participants_.front();
  first.plan = session_.plan();
  first.left_out = runtime::why_not_exchangeable(*first.plan);
  std::size_t able = 1;
  for (auto each = participants_.begin() + 1; each != participants_.end(); ++each) {
    if (!first.left_out.empty())
      each->left_out = "its results cannot follow those of the best predicted one";
    else if (able == select::kMostTried)
      each->left_out = "enough others are predicted to be as fast or faster";
    else
      prepare(*each, log);
    if (each->left_out.empty()) ++able;
  }
}

void AutoTrial::prepare(Participant& participant, const plugin::PluginLog& log) {
  try {
    participant.strategy = load_strategy_of(setup_, participant.ranked.candidate, log);
    participant.plan =
        session_.prepare(*participant.strategy, participant.ranked.candidate.bucket_elements);
  } catch (const Error& error) {
    participant.left_out = error.what();
    return;
  }
  participant.left_out = runtime::why_not_exchangeable(*participant.plan);
  for (const Participant& other : participants_)
    if (&other != &participant && other.plan && other.left_out.empty() &&
        other.plan->step.hash() == participant.plan->step.hash())
      participant.left_out =
          fmt::format("here it is the same plan as {}", select::flags_of(other.ranked.candidate));
}

// Chooses the candidates with the best predictions, as many as the steps can compare.
void AutoTrial::begin(std::int64_t steps) {
  const auto able = static_cast<std::size_t>(
      std::ranges::count_if(participants_, [](const auto& it) { return it.left_out.empty(); }));
  const std::size_t tried = select::most_tried(able, steps);
  std::size_t number = 0;
  for (Participant& each : participants_) {
    if (each.left_out.empty() && number < tried)
      each.number = number++;
    else if (each.left_out.empty() && tried > 0)
      each.left_out = "the training has too few steps to try it, too";
  }
  if (tried > 0) {
    most_steps_ = std::min(steps, select::kMostTrialSteps);
    schedule_.emplace(tried, most_steps_);
    turn_end_ += schedule_->turn_steps();
    return;
  }
  std::string reason = fmt::format("{} steps are too few to compare strategies", steps);
  if (able < 2) {
    reason =
        "nothing can be compared with the best predicted one:\n" + select::trial_table(result());
    reason.pop_back();
  }
  tell_(fmt::format("--auto=measure tries nothing: {}", reason));
}

AutoTrial::Participant& AutoTrial::scheduled(std::size_t number) {
  return *std::ranges::find(participants_, std::optional(number), &Participant::number);
}

const AutoTrial::Participant& AutoTrial::in_use() const {
  return *std::ranges::find(participants_, session_.plan(), &Participant::plan);
}

void AutoTrial::join(runtime::TrainingEvents& events, std::function<void()> changed) {
  changed_ = std::move(changed);
  for (auto* seen : {&events.warmup_step, &events.timed_step})
    *seen = [this, report = *seen](const TrainingStep& it) {
      report(it);
      step(it);
    };
  events.plan_changes_after = [this](const runtime::PausePoint& point) {
    return turn_ends_after(point);
  };
  events.change_plan = [this](const runtime::PausePoint& point) { end_turn(point); };
}

// Waits for images do not count, because they do not depend on the plan.
void AutoTrial::step(const TrainingStep& step) {
  if (over()) return;
  if (step.number > 0) ++timed_steps_;
  schedule_->add(step.seconds - step.input_wait_seconds);
}

bool AutoTrial::turn_ends_after(const runtime::PausePoint& point) const {
  return !done_ && schedule_ && point.global_step == turn_end_;
}

void AutoTrial::end_turn(const runtime::PausePoint& point) {
  for (;;) {
    const bool over = schedule_->over();
    Participant& next = scheduled(over ? schedule_->winner() : schedule_->current());
    const std::optional<Error> refusal = use(next, point);
    if (!refusal) break;
    if (over) throw *refusal;
    next.left_out = refusal->what();
    schedule_->drop_current();
  }
  if (schedule_->over())
    decide_now();
  else
    turn_end_ = point.global_step + schedule_->turn_steps();
}

// Returns why the participant's plan cannot be used; the session then keeps its plan.
std::optional<Error> AutoTrial::use(Participant& participant, const runtime::PausePoint& point) {
  if (session_.plan() == participant.plan) return std::nullopt;
  const double begin = session_.devices()->now();
  if (std::optional<Error> refusal = session_.exchange_plan(participant.plan, point.global_step))
    return refusal;
  const double seconds = session_.devices()->now() - begin;
  ++exchanges_;
  exchange_seconds_ += seconds;
  if (point.timed_step >= 0) timed_exchange_seconds_ += seconds;
  changed_();
  return std::nullopt;
}

void AutoTrial::decide_now() {
  Participant& winner = scheduled(schedule_->winner());
  setup_.decision = select::decide(*setup_.decision, result(), winner.ranked);
  setup_.shortlist->remember(*setup_.decision, tell_);
  if (winner.strategy) std::swap(setup_.strategy, winner.strategy);
  for (Participant& each : participants_) each.plan.reset();
  done_ = true;
  changed_();
  std::string table = select::trial_table(*setup_.decision->trial);
  table.pop_back();
  tell_(
      fmt::format("tried in {} steps; plans were exchanged {} times, in {:.2f} s that are part of "
                  "no step:\n{}",
                  schedule_->steps(), exchanges_, exchange_seconds_, table));
  tell_(select::decision_line(*setup_.decision));
  if (timed_steps_ > 0)
    tell_(
        fmt::format("the first {} timed steps belong to the trial; without "
                    "--num_warmup_batches they all are warm-up steps",
                    timed_steps_));
}

void AutoTrial::finish() {
  if (over()) return;
  tell_(
      fmt::format("the training ended after {} steps of the trial, before it was decided: nothing "
                  "is remembered; the last of them were with {}",
                  schedule_->steps(), select::flags_of(in_use().ranked.candidate)));
}

select::TrialResult AutoTrial::result() const {
  select::TrialResult trial;
  for (const Participant& each : participants_) {
    select::Tried tried{each.ranked.candidate, each.ranked.step_seconds, {}, 0, each.left_out};
    if (each.number && each.left_out.empty() && schedule_->counted(*each.number) > 0) {
      tried.measured_seconds = schedule_->median(*each.number);
      tried.counted_steps = static_cast<std::int64_t>(schedule_->counted(*each.number));
    }
    trial.tried.push_back(tried);
  }
  trial.steps = schedule_ ? schedule_->steps() : 0;
  trial.exchanges = exchanges_;
  trial.exchange_seconds = exchange_seconds_;
  return trial;
}

}  // namespace convoy::job
