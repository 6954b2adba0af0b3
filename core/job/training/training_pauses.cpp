#include "core/job/training/training_pauses.hpp"

#include <utility>

#include "core/base/error.hpp"

namespace convoy::job {

// A request is kept until it is served, because workers that do not wait for each other learn of it
// some steps before they pause.
bool TrainingPauses::asked_to_stand_still() {
  if (run_.setup.task == nullptr && run_.observer.take_standstill_request())
    standstill_asked_ = true;
  return standstill_asked_;
}

void TrainingPauses::stand_still(const runtime::PausePoint& point, runtime::Session& session) {
  run_.record.standstills.push_back(point.timed_step);
  const double since = session.devices()->now();
  run_.observer.stand_still();
  standstill_seconds_ += session.devices()->now() - since;
}

void TrainingPauses::save_checkpoint(const runtime::PausePoint& point, runtime::Session& session) {
  const double since = session.devices()->now();
  if (!checkpoints_.pause(point, session)) return;
  run_.record.checkpoints.push_back({point.timed_step, session.devices()->now() - since});
  run_.observer.take_save_request();  // one checkpoint answers all requests so far
}

// The error that ends the run is more important than one of saving.
void TrainingPauses::save_before_the_end(const runtime::PausePoint& point,
                                         runtime::Session& session) {
  try {
    checkpoints_.finish(point.global_step, session);
  } catch (const Error& error) {
    run_.tell(error.what());
  }
}

void TrainingPauses::join(runtime::TrainingEvents& events, runtime::Session& session) {
  events.input_failed = [this, &session](const runtime::PausePoint& point) {
    save_before_the_end(point, session);
  };
  events.save_requested = [this] { return run_.observer.take_save_request(); };
  events.wants_pause = [this](const runtime::PausePoint& point) {
    const bool wanted = evaluations_ && evaluations_->wants(point);
    return asked_to_stand_still() || checkpoints_.wants(point) || wanted;
  };
  events.pause_after = [this](const runtime::PausePoint& point) {
    evaluation_due_ = evaluations_ && evaluations_->due(point);
    const bool standstill_due = asked_to_stand_still();
    return checkpoints_.due(point) || evaluation_due_ || standstill_due;
  };
  events.paused = [this, &session](const runtime::PausePoint& point) {
    save_checkpoint(point, session);
    if (std::exchange(standstill_asked_, false)) stand_still(point, session);
    return !evaluation_due_ || evaluations_->pause(point, session);
  };
}

}  // namespace convoy::job
