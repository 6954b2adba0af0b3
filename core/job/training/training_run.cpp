#include "core/job/training/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/sent_number.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/auto/auto_links.hpp"
#include "core/job/component_options.hpp"
#include "core/job/kernel_attempt.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/tasks/task_trace.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/input_memory.hpp"

namespace convoy::job {

// Returns whether this process makes the prediction: one process that trains, or the chief of
// several.
bool TrainingRun::wants_prediction() const {
  const bool speaks = run_.setup.task == nullptr || run_.setup.task->is_chief();
  return wants_timeline(run_.setup.options) && speaks && trains(run_.setup.options);
}

void TrainingRun::predict() {
  if (wants_prediction()) prediction_.emplace(run_.setup, run_.teller());
}

// Links this task with the others. The choice of --variable_update=auto may depend on the speed of
// the links.
void TrainingRun::link(const std::shared_ptr<runtime::OpenDevices>& devices) {
  if (run_.setup.task == nullptr) return;
  run_.setup.task->link(run_.setup, devices, log_to(run_.observer));
  run_.setup.open_devices = devices;  // predictions query the devices
  if (run_.setup.decides_on_links) {
    choose_on_links(run_.setup, run_.sizes, log_to(run_.observer), run_.teller());
    run_.report.take_decision();
  }
  predict();
  run_.setup.open_devices.reset();
}

std::unique_ptr<runtime::Session> TrainingRun::open_session(
    std::shared_ptr<runtime::OpenDevices> devices) const {
  std::unique_ptr<runtime::Session> session = new_session(std::move(devices));
  if (session->forward_only()) return session;
  const std::string& named = run_.setup.decision ? run_.setup.decision->chosen.strategy
                                                 : run_.setup.options.variable_update;
  for (const plan::Operation* call : plan::called_kernels(session->plan()->step.logical()))
    try_kernel_first(run_.setup, named, *run_.setup.strategy, *call);
  return session;
}

std::unique_ptr<runtime::Session> TrainingRun::new_session(
    std::shared_ptr<runtime::OpenDevices> devices) const {
  runtime::SessionOptions options = session_options(run_.setup, run_.sizes, run_.devices);
  options.profile = run_.setup.options.profile;
  if (run_.mode() == RunMode::kForwardOnly)
    return std::make_unique<runtime::Session>(*run_.setup.graph, std::move(devices), options);
  std::optional<runtime::ClusterTask> task;
  if (run_.setup.task != nullptr) task = run_.setup.task->cluster_task();
  auto session = std::make_unique<runtime::Session>(*run_.setup.graph, *run_.setup.strategy,
                                                    std::move(devices), options, task);
  if (task) run_.setup.task->agree_on_plan(session->plan()->step.lowered());
  return session;
}

// Refuses flags that act between two steps of all workers, if workers have no steps in common.
void TrainingRun::check_asynchronous(const runtime::Session& session) const {
  if (!session.is_asynchronous()) return;
  const auto is_switch = [](const plugin::OptionDeclaration& it) {
    return it.name == "cross_replica_sync";
  };
  const bool has_switch = std::ranges::any_of(run_.setup.strategy->manifest().options, is_switch);
  const auto refuse = [has_switch](const char* flag) {
    fail(ExitCode::kUsage,
         "--{} needs a step that all workers have in common, and this strategy lets each take "
         "its own; leave it out, or {}",
         flag,
         has_switch ? "add --cross_replica_sync=true"
                    : "take another --variable_update, such as replicated");
  };
  if (run_.setup.options.profile) refuse("profile");
  if (run_.setup.shortlist) refuse("auto=measure");
}

// Returns the number of the chief, because servers read no data and all tasks have one learning
// rate. Workers must have the same number, because each takes its share of one order of all images.
std::int64_t TrainingRun::examples_per_epoch(const data::BatchSource& source) const {
  const std::int64_t own = source.samples_per_epoch();
  if (run_.setup.task == nullptr) return own;
  const auto chiefs = sent_number<std::int64_t>(
      run_.setup.task->from_chief("examples", fmt::format("{}", own)), "number of images");
  if (run_.setup.task->computes() && own != chiefs)
    fail(ExitCode::kUsage,
         "--data_dir={} has {} images here and {} at worker 0, so some would be trained on twice "
         "and others never; give every worker the same files",
         run_.setup.options.data_dir, own, chiefs);
  return chiefs;
}

// Makes the warm-up long enough for the trial, unless the user gave its length.
void TrainingRun::begin_trial(runtime::Session& session) {
  if (!run_.setup.shortlist) return;
  constexpr std::int64_t kSettling = 3;  // steps between the trial and the first timed one
  trial_ = std::make_unique<AutoTrial>(run_.setup, session, checkpoints_->first_step(),
                                       run_.sizes.warmup_steps + run_.sizes.timed_steps,
                                       log_to(run_.observer), run_.teller());
  if (trial_->over() || run_.setup.options.num_warmup_batches) return;
  run_.sizes.warmup_steps = std::max(run_.sizes.warmup_steps, trial_->most_steps() + kSettling);
}

void TrainingRun::prepare_evaluations(std::int64_t training_examples) {
  if (run_.mode() != RunMode::kTrainingAndEvaluation) return;
  if (run_.setup.task == nullptr || run_.setup.task->is_chief())
    validation_ = std::make_unique<Validation>(run_.validation());
  if (validation_) run_.tell(validation_->notices());
  evaluations_ = std::make_unique<TrainingEvaluations>(run_, validation_.get(), training_examples);
}

void TrainingRun::generating_model() {
  run_.observer.enters(report::RunPhase::kGeneratingModel);
  if (validation_) run_.observer.enters(report::RunPhase::kGeneratingEvaluationModel);
  run_.observer.progress(fmt::format("preparing {}", counted(run_.devices, "device")));
}

runtime::TrainingEvents TrainingRun::events(runtime::Session& session) {
  runtime::TrainingEvents events;
  events.warmed_up = [this] {
    if (profile_) profile_->warmed_up();
    gpus_->start();
    run_.observer.enters(report::RunPhase::kWarmedUp);
    run_.observer.columns();
  };
  events.warmup_step = [this](const TrainingStep& step) { run_.report.warmup_step(step); };
  events.timed_step = [this](const TrainingStep& step) {
    run_.report.timed_step(step);
    if (run_.setup.task != nullptr) run_.setup.task->finished_step(step.number);
  };
  events.stop_requested = [this] {
    return run_.setup.task == nullptr ? run_.interrupted() : run_.setup.task->wants_to_end();
  };
  if (run_.setup.task != nullptr)
    events.failing = [this](const Error& error) { run_.setup.task->name_loss(error); };
  run_.trace.join(events, session);
  pauses_->join(events, session);
  if (trial_)
    trial_->join(events, [this, &session] {
      run_.trace.forget_median_step();
      run_.report.take_plan(session);
    });
  return events;
}

void TrainingRun::train() {
  const std::shared_ptr<StartingPoint> known = std::exchange(run_.setup.starting_point, nullptr);
  checkpoints_ =
      std::make_unique<Checkpoints>(run_.setup, known.get(), run_.global_batch(), run_.teller());
  data::DataOptions data = data_options(run_.setup, run_.sizes, run_.devices);
  run_.tell(shared_cores_notice(run_.setup, run_.devices));
  if (run_.setup.task == nullptr) predict();
  const std::shared_ptr<runtime::OpenDevices> devices = run_.take_devices();
  link(devices);
  data.image_memory = runtime::input_memory(devices);
  data.first_step = checkpoints_->first_step();
  data.sample_offset = checkpoints_->sample_offset();
  const std::unique_ptr<data::BatchSource> source = data::make_source(data);
  run_.tell(source->notices());
  const std::int64_t examples = examples_per_epoch(*source);
  run_.count_epochs(examples);
  if (run_.mode() != RunMode::kForwardOnly)
    run_.tell(shorten_resumed_run(run_.sizes, checkpoints_->first_step(),
                                  run_.left_of_epochs(examples, checkpoints_->samples())));
  run_.tell(unused_evaluation_flags(run_.setup.options.evaluation));
  run_.report.header(examples);
  prepare_evaluations(examples);
  pauses_ = std::make_unique<TrainingPauses>(run_, *checkpoints_, evaluations_.get());
  generating_model();
  const std::unique_ptr<runtime::Session> session = open_session(devices);
  check_asynchronous(*session);
  if (validation_) validation_->prepare(session->devices());
  begin_trial(*session);
  run_.describe(*session);
  gpus_ = std::make_unique<GpuWatch>(devices->descriptions());
  if (run_.setup.options.profile) profile_ = std::make_unique<ProfileCollector>(*session);
  run_.observer.enters(report::RunPhase::kInitializing);
  checkpoints_->restore(*session);
  // A task may take long to get here, and the collectives of a step have a time limit.
  if (run_.setup.task != nullptr)
    static_cast<void>(run_.setup.task->exchange("ready to train", ""));
  run_.observer.enters(report::RunPhase::kWarmingUp);
  run_.observer.progress(fmt::format("the first step of {}", counted(run_.devices, "device")));
  conclude(run_steps(*session, *source, examples), *session, *source);
}

runtime::TrainingSummary TrainingRun::run_steps(runtime::Session& session,
                                                data::BatchSource& source, std::int64_t examples) {
  try {
    return runtime::run_training(
        session, source,
        schedule(run_.setup, run_.sizes, run_.devices, examples, checkpoints_->sample_offset()),
        training_loop_options(run_.setup.options, run_.sizes, checkpoints_->first_step()),
        events(session));
  } catch (const Error&) {
    run_.report_bad_records(source.statistics());
    throw;
  }
}

// Reports the results of a training that has ended by itself, to people and in files.
void TrainingRun::conclude(const runtime::TrainingSummary& summary, runtime::Session& session,
                           const data::BatchSource& source) {
  note_gpus();
  if (trial_) trial_->finish();
  run_.report.total(summary, (evaluations_ ? evaluations_->seconds() : 0) +
                                 (trial_ ? trial_->timed_exchange_seconds() : 0) +
                                 pauses_->standstill_seconds());
  report_profile(summary);
  run_.record.timeline = run_.trace.timeline(session);
  if (prediction_) run_.record.prediction = prediction_->of(session);
  // Saved first, so that a later failure does not lose the training.
  checkpoints_->finish(summary.global_step, session);
  run_.tell(run_.trace.gather());
  if (evaluations_) evaluations_->final(summary, session);
  run_.report.input_verdict();
  if (chiefs_answer(run_.setup.task, "parameter hash", run_.report.shows_parameter_hash()))
    run_.report.parameters(session.values().parameter_hash());
  run_.report_bad_records(source.statistics());
  if (validation_) run_.report_bad_records(validation_->read_so_far(), " of the validation data");
  if (summary.diverged) run_.tell(divergence_text(*summary.diverged, run_.sizes.warmup_steps));
  if (run_.setup.task == nullptr) return;
  // It may have come during the last evaluation, after the last step.
  stop_ = run_.setup.task->interruption();
  finish_task(summary);
}

void TrainingRun::report_profile(const runtime::TrainingSummary& summary) {
  if (!profile_) return;
  const std::optional<report::ProfileRecord> profile =
      profile_->record(summary, run_.sizes.warmup_steps);
  if (profile) run_.report.profile(*profile);
  profile_.reset();  // it refers to the session, which ends before this object
}

// Collects how every task's step was spent, for the chief's record.
void TrainingRun::finish_task(const runtime::TrainingSummary& summary) {
  run_.report.peers(run_.setup.task->peers());
  run_.record.tasks = tasks_of_run(*run_.setup.task, summary.breakdown);
}

void TrainingRun::note_gpus() {
  if (gpus_ && gpus_->has_gpus()) run_.record.gpus = gpus_->readings();
  gpus_.reset();
}

}  // namespace convoy::job
