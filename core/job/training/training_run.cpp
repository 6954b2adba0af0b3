#include "core/job/training/training_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/auto/auto_links.hpp"
#include "core/job/auto/auto_trial.hpp"
#include "core/job/component_options.hpp"
#include "core/job/kernel_attempt.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/tasks/task_times.hpp"
#include "core/job/tasks/task_trace.hpp"
#include "core/job/training/checkpoints.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/gpu_watch.hpp"
#include "core/job/training/profile_collector.hpp"
#include "core/job/training/run_prediction.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/input_memory.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/state/parameter_hash.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {
namespace {

class TrainingRun {
 public:
  explicit TrainingRun(RunContext& run)
      : run_(run),
        setup_(run.setup),
        sizes_(run.sizes),
        report_(run.report),
        observer_(run.observer) {}

  std::optional<network::Interruption> train() {
    try {
      return prepare_and_train();
    } catch (...) {
      note_gpus();
      if (setup_.task != nullptr && wants_trace_ && report_.traced())
        run_.tell("the trace has this task's operations alone, because the run failed");
      throw;
    }
  }

 private:
  std::optional<network::Interruption> prepare_and_train() {
    checkpoints_ = std::make_unique<Checkpoints>(setup_, std::int64_t{run_.replicas} * sizes_.batch,
                                                 run_.teller());
    data::DataOptions data = data_options(setup_, sizes_, run_.devices);
    run_.tell(shared_cores_notice(setup_, run_.devices));
    if (setup_.task == nullptr) predict();
    const std::shared_ptr<runtime::OpenDevices> devices = run_.open_devices();
    link(devices);
    data.image_memory = runtime::input_memory(devices);
    data.first_step = checkpoints_->first_step();
    data.sample_offset = checkpoints_->sample_offset();
    const std::unique_ptr<data::BatchSource> source = data::make_source(data);
    run_.tell(source->notices());
    const std::int64_t examples = examples_per_epoch(*source);
    run_.count_epochs(examples);
    if (run_.mode() != RunMode::kForwardOnly)
      run_.tell(shorten_resumed_run(sizes_, checkpoints_->first_step()));
    run_.tell(unused_evaluation_flags(setup_.options.evaluation));
    report_.header(run_.devices, examples);
    prepare_evaluations(examples);
    wants_trace_ = wanted_by_chief("trace wanted", !setup_.options.trace_file.empty());
    generating_model();
    const std::unique_ptr<runtime::Session> session = open_session(devices);
    check_asynchronous(*session);
    if (validation_) validation_->prepare(session->open_devices());
    begin_trial(*session);
    run_.describe(*session);
    gpus_ = std::make_unique<GpuWatch>(*session);
    if (setup_.options.profile) profile_ = std::make_unique<ProfileCollector>(*session);
    observer_.initializing();
    checkpoints_->restore(*session);
    // A task may take long until here, and the collectives of a step have a time limit.
    if (setup_.task != nullptr) static_cast<void>(setup_.task->exchange("ready to train", ""));
    observer_.warming_up();
    return conclude(run_steps(*session, *source, examples), *session, *source);
  }

  void predict() {
    if (wants_prediction()) prediction_.emplace(setup_, run_.teller());
  }

  // With the other tasks. What --variable_update=auto takes may depend on how fast that is.
  void link(const std::shared_ptr<runtime::OpenDevices>& devices) {
    if (setup_.task == nullptr) return;
    setup_.task->link(setup_.catalog, *setup_.host, devices, log_to(observer_));
    setup_.open_devices = devices;  // predictions ask the devices
    if (setup_.decides_on_links) {
      choose_on_links(setup_, sizes_, log_to(observer_), run_.teller());
      report_.take_decision();
    }
    predict();
    setup_.open_devices.reset();
  }

  std::unique_ptr<runtime::Session> open_session(
      std::shared_ptr<runtime::OpenDevices> devices) const {
    std::unique_ptr<runtime::Session> session = new_session(std::move(devices));
    if (session->forward_only()) return session;
    const std::string& named =
        setup_.decision ? setup_.decision->chosen.strategy : setup_.options.variable_update;
    for (const Operation* call : called_kernels(session->logical_plan()))
      try_kernel_first(setup_, named, *setup_.strategy, *call);
    return session;
  }

  std::unique_ptr<runtime::Session> new_session(
      std::shared_ptr<runtime::OpenDevices> devices) const {
    runtime::SessionOptions options = session_options(setup_, sizes_, run_.devices);
    options.profile = setup_.options.profile;
    if (run_.mode() == RunMode::kForwardOnly)
      return std::make_unique<runtime::Session>(*setup_.graph, std::move(devices), options);
    if (setup_.task == nullptr)
      return std::make_unique<runtime::Session>(*setup_.graph, *setup_.strategy, std::move(devices),
                                                options);
    auto session = std::make_unique<runtime::Session>(
        *setup_.graph, *setup_.strategy, std::move(devices), options, setup_.task->cluster_task());
    setup_.task->agree_on_plan(*session);
    return session;
  }

  // What happens between two steps of all workers, where these have none in common.
  void check_asynchronous(const runtime::Session& session) const {
    if (!session.is_asynchronous()) return;
    const auto is_switch = [](const OptionDeclaration& it) {
      return it.name == "cross_replica_sync";
    };
    const bool has_switch = std::ranges::any_of(setup_.strategy->manifest().options, is_switch);
    const auto refuse = [has_switch](const char* flag) {
      fail(ExitCode::kUsage,
           "--{} needs a step that all workers have in common, and this strategy lets each take "
           "its own; leave it out, or {}",
           flag,
           has_switch ? "add --cross_replica_sync=true"
                      : "take another --variable_update, such as replicated");
    };
    if (setup_.options.profile) refuse("profile");
    if (setup_.shortlist) refuse("auto=measure");
  }

  // Servers read no data, and all tasks have one learning rate: the chief's number counts. Workers
  // must have the same one, for each takes its share of one order of all images.
  std::int64_t examples_per_epoch(const data::BatchSource& source) const {
    const std::int64_t own = source.samples_per_epoch();
    if (setup_.task == nullptr) return own;
    const std::int64_t chiefs =
        std::stoll(setup_.task->from_chief("examples", fmt::format("{}", own)));
    if (setup_.task->computes() && own != chiefs)
      fail(ExitCode::kUsage,
           "--data_dir={} has {} images here and {} at worker 0, so some would be trained on twice "
           "and others never; give every worker the same files",
           setup_.options.data_dir, own, chiefs);
    return chiefs;
  }

  // What all tasks do together: the chief, whose files it is for, says whether.
  bool wanted_by_chief(const char* what, bool own) const {
    if (setup_.task == nullptr) return own;
    return setup_.task->from_chief(what, own ? "yes" : "no") == "yes";
  }

  // Of one process that trains, or the chief of several.
  bool wants_prediction() const {
    const bool speaks = setup_.task == nullptr || setup_.task->is_chief();
    return wants_timeline(setup_.options) && speaks &&
           (run_.mode() == RunMode::kTraining || run_.mode() == RunMode::kTrainingAndEvaluation);
  }

  void trace_step(runtime::Session& session, const runtime::StepTrace& step) {
    if (setup_.task != nullptr && !clock_)
      clock_ = setup_.task->common_clock([&session] { return session.now(); });
    report_.trace(session, step);
  }

  // The warm-up is long enough for the trial, unless the user said how long it is.
  void begin_trial(runtime::Session& session) {
    if (!setup_.shortlist) return;
    constexpr std::int64_t kSettling = 3;  // steps between the trial and the first timed one
    trial_ = std::make_unique<AutoTrial>(setup_, session, checkpoints_->first_step(),
                                         sizes_.warmup_steps + sizes_.timed_steps,
                                         log_to(observer_), run_.teller());
    if (trial_->over() || setup_.options.num_warmup_batches) return;
    sizes_.warmup_steps = std::max(sizes_.warmup_steps, trial_->most_steps() + kSettling);
  }

  void note_gpus() {
    if (gpus_ && gpus_->has_gpus()) report_.gpus(gpus_->readings());
    gpus_.reset();
  }

  void prepare_evaluations(std::int64_t training_examples) {
    if (run_.mode() != RunMode::kTrainingAndEvaluation) return;
    if (setup_.task == nullptr || setup_.task->is_chief())
      validation_ = std::make_unique<Validation>(run_.validation());
    if (validation_) run_.tell(validation_->notices());
    evaluations_ = std::make_unique<TrainingEvaluations>(
        setup_, sizes_, validation_.get(), training_examples,
        std::int64_t{run_.replicas} * sizes_.batch, report_, [this] { return run_.interrupted(); });
  }

  void generating_model() {
    observer_.generating_model();
    if (validation_) observer_.generating_evaluation_model();
  }

  runtime::TrainingSummary run_steps(runtime::Session& session, data::BatchSource& source,
                                     std::int64_t examples) {
    try {
      return runtime::run_training(
          session, source, schedule(setup_, sizes_, run_.devices, examples),
          training_loop_options(setup_, sizes_, checkpoints_->first_step()), events(session));
    } catch (const Error&) {
      run_.tell_bad_records(source.statistics());
      throw;
    }
  }

  void save_checkpoint(const runtime::PausePoint& point, runtime::Session& session) {
    const double since = session.now();
    if (!checkpoints_->pause(point, session)) return;
    report_.checkpoint({point.timed_step, session.now() - since});
    observer_.take_save_request();  // one checkpoint answers all requests so far
  }

  runtime::TrainingEvents events(runtime::Session& session) {
    runtime::TrainingEvents events;
    events.warmed_up = [this] {
      if (profile_) profile_->warmed_up();
      gpus_->start();
      observer_.warmed_up();
      observer_.columns();
    };
    events.warmup_step = [this](const TrainingStep& step) { report_.warmup_step(step); };
    events.timed_step = [this](const TrainingStep& step) {
      report_.timed_step(step);
      if (setup_.task != nullptr) setup_.task->finished_step(step.number);
      run_.tell(report_.drift_notice(step));
    };
    events.stop_requested = [this] {
      return setup_.task == nullptr ? run_.interrupted() : setup_.task->wants_to_end();
    };
    if (setup_.task != nullptr)
      events.failing = [this](const Error& error) { setup_.task->name_loss(error); };
    add_traces(events, session);
    add_pauses(events, session);
    if (trial_) trial_->join(events, [this, &session] { report_.take_plan(session); });
    return events;
  }

  void add_traces(runtime::TrainingEvents& events, runtime::Session& session) {
    if (wants_trace_)
      events.trace = [this, &session](const runtime::StepTrace& step) {
        trace_step(session, step);
      };
    if (!wants_timeline(setup_.options)) return;
    events.wants_timed_trace = [this](const TrainingStep& step) {
      return report_.wants_timeline_of(step);
    };
    events.timed_trace = [this](runtime::StepTrace step) {
      report_.keep_timeline(std::move(step));
    };
  }

  // A request is kept until it is done: workers that do not wait for each other hear of it some
  // steps before they pause.
  bool asked_to_stand_still() {
    if (setup_.task == nullptr && observer_.take_standstill_request()) standstill_asked_ = true;
    return standstill_asked_;
  }

  void stand_still(runtime::Session& session) {
    const double since = session.now();
    observer_.stand_still();
    standstill_seconds_ += session.now() - since;
  }

  // Training pauses for checkpoints, evaluations and whoever wants the machine for a while.
  void add_pauses(runtime::TrainingEvents& events, runtime::Session& session) {
    events.save_requested = [this] { return observer_.take_save_request(); };
    events.wants_pause = [this](const runtime::PausePoint& point) {
      const bool wanted = evaluations_ && evaluations_->wants(point);
      return asked_to_stand_still() || checkpoints_->wants(point) || wanted;
    };
    events.pause_after = [this](const runtime::PausePoint& point) {
      evaluation_due_ = evaluations_ && evaluations_->due(point);
      const bool standstill_due = asked_to_stand_still();
      return checkpoints_->due(point) || evaluation_due_ || standstill_due;
    };
    events.paused = [this, &session](const runtime::PausePoint& point) {
      save_checkpoint(point, session);
      if (std::exchange(standstill_asked_, false)) stand_still(session);
      return !evaluation_due_ || evaluations_->pause(point, session);
    };
  }

  // Of a training that has ended by itself: what came of it, to people and files.
  std::optional<network::Interruption> conclude(const runtime::TrainingSummary& summary,
                                                runtime::Session& session,
                                                const data::BatchSource& source) {
    note_gpus();
    if (trial_) trial_->finish();
    report_.total(summary, (evaluations_ ? evaluations_->seconds() : 0) +
                               (trial_ ? trial_->timed_exchange_seconds() : 0) +
                               standstill_seconds_);
    report_.gpus_line();
    run_.tell(report_.prediction_line());
    report_profile(summary);
    note_timeline(session);
    checkpoints_->finish(summary, session);  // nothing that fails from here on loses the training
    gather_traces();
    if (evaluations_) evaluations_->final(summary, session);
    report_.input_verdict();
    if (wanted_by_chief("parameter hash", report_.shows_parameter_hash()))
      report_.parameters(runtime::parameter_hash(session));
    run_.tell_bad_records(source.statistics());
    if (validation_) run_.tell_bad_records(validation_->read_so_far(), " of the validation data");
    if (summary.diverged) run_.tell(divergence_text(*summary.diverged, sizes_.warmup_steps));
    if (setup_.task == nullptr) return {};
    std::optional<network::Interruption> stop;
    if (summary.stopped) stop = setup_.task->interruption();
    report_.peers(setup_.task->peers());
    report_.tasks(tasks_of_run(*setup_.task, summary.breakdown));
    return stop;
  }

  void note_timeline(const runtime::Session& session) {
    if (!wants_timeline(setup_.options)) return;
    report_.timeline(session);
    if (prediction_) report_.prediction(prediction_->of(session));
  }

  void gather_traces() {
    if (!wants_trace_) return;
    if (setup_.task != nullptr) {
      report_.trace(
          gather_trace(*setup_.task, report_.own_trace(), clock_.value_or(CommonClock{})));
      run_.tell(report_.trace_notice());
    }
    if (!setup_.options.trace_file.empty() && !report_.traced())
      run_.tell("no step was traced, because too few were run: no trace file is written");
  }

  void report_profile(const runtime::TrainingSummary& summary) {
    if (!profile_) return;
    const std::optional<report::ProfileRecord> profile =
        profile_->record(summary, sizes_.warmup_steps);
    if (profile) report_.profile(*profile);
    profile_.reset();  // it refers to the session
  }

  RunContext& run_;
  Setup& setup_;
  Sizes& sizes_;
  RunReport& report_;
  report::RunObserver& observer_;
  std::unique_ptr<AutoTrial> trial_;
  std::unique_ptr<Validation> validation_;
  std::unique_ptr<TrainingEvaluations> evaluations_;
  std::unique_ptr<ProfileCollector> profile_;
  std::unique_ptr<GpuWatch> gpus_;
  std::optional<RunPrediction> prediction_;
  bool evaluation_due_ = false;
  bool standstill_asked_ = false;
  double standstill_seconds_ = 0;
  bool wants_trace_ = false;
  std::optional<CommonClock> clock_;  // of several tasks, when the step was traced
  std::unique_ptr<Checkpoints> checkpoints_;
};

}  // namespace

std::optional<network::Interruption> train(RunContext& run) {
  return TrainingRun(run).train();
}

}  // namespace convoy::job
