#include "core/job/training/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/base/counted.hpp"
#include "core/base/error.hpp"
#include "core/base/system_refusal.hpp"
#include "core/data/pipeline/dataset.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/auto/auto_links.hpp"
#include "core/job/auto/auto_trial.hpp"
#include "core/job/component_options.hpp"
#include "core/job/hardware/opened_devices.hpp"
#include "core/job/kernel_attempt.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulation/prediction_options.hpp"
#include "core/job/sizes.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/tasks/task_times.hpp"
#include "core/job/training/checkpoints.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/gpu_watch.hpp"
#include "core/job/training/input_only.hpp"
#include "core/job/training/profile_collector.hpp"
#include "core/job/training/run_prediction.hpp"
#include "core/job/training/run_report.hpp"
#include "core/plan/lower/device_collective.hpp"
#include "core/plan/stages.hpp"
#include "core/runtime/claim.hpp"
#include "core/runtime/compute_dtype.hpp"
#include "core/runtime/input_memory.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/state/parameter_hash.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/run_length.hpp"

namespace convoy::job {
namespace {

class Run {
 public:
  Run(std::span<const std::string> command_line, Setup& setup, report::RunObserver& observer)
      : setup_(setup),
        devices_(count_devices(setup)),
        sizes_(agreed_sizes()),
        replicas_(count_replicas(setup, devices_)),
        report_(command_line, setup, sizes_, devices_, observer),
        observer_(observer) {
    if (sizes_.adapted)
      tell(
          fmt::format("batch size {} per device, {} warm-up and {} timed steps suit these devices; "
                      "--batch_size, --num_warmup_batches and --num_batches change that",
                      sizes_.batch, sizes_.warmup_steps, sizes_.timed_steps));
  }

  // Writes the record also when the run fails.
  report::RunRecord execute() {
    try {
      do_what_is_asked();
    } catch (const Error& own) {
      note_gpus();
      const Error error = setup_.task == nullptr ? own : setup_.task->explain(own);
      finish_failed(error);
      throw error;
    } catch (const std::exception& unforeseen) {
      note_gpus();
      finish_failed(
          refusal_by_system(unforeseen).value_or(Error(ExitCode::kFailed, unforeseen.what())));
      throw;  // as it came: the program tells what it meets itself
    }
    const ExitCode code = stop_ ? stop_->code : observer_.interruption();
    if (stop_)
      tell(fmt::format("{}; the summary covers the steps so far", stop_->text));
    else if (interrupted())
      observer_.notice("interrupted; the summary covers the steps so far");
    report_.finish(static_cast<int>(code), code != ExitCode::kOk, "");
    return report_.record();
  }

 private:
  RunMode mode() const { return setup_.options.evaluation.mode(); }
  bool interrupted() const { return observer_.interruption() != ExitCode::kOk; }

  void do_what_is_asked() {
    check_dump(setup_.options);
    if (setup_.options.input_only)
      read_only();
    else if (mode() == RunMode::kEvaluation)
      evaluate();
    else
      train();
  }

  void finish_failed(const Error& error) {
    if (setup_.task != nullptr && wants_trace_ && report_.traced())
      tell("the trace has this task's operations alone, because the run failed");
    report_.finish(static_cast<int>(error.code()), false, error.what());
  }

  Sizes agreed_sizes() const {
    const Sizes own = choose_sizes(setup_, devices_);
    return setup_.task == nullptr ? own : setup_.task->chiefs_sizes(own, devices_);
  }

  // On this task's own devices, whichever tasks there are.
  Validation validation() const {
    data::DataOptions data = data_options(setup_, sizes_, devices_);
    data.replicas = static_cast<int>(devices_);
    data.local_replicas.clear();
    return {setup_, sizes_, session_options(setup_, sizes_, devices_), std::move(data)};
  }

  void evaluate() {
    const FindTrainedModel newest = [this] {
      return find_trained_model(setup_.options.checkpoints, *setup_.graph,
                                [this](const std::string& text) { tell(text); });
    };
    std::optional<TrainedModel> first = first_trained_model(setup_.options, newest);
    Validation validation = this->validation();
    if (setup_.options.profile || !setup_.options.trace_file.empty())
      tell("--profile and --trace_file are about training steps: without effect under --eval");
    tell(validation.notices());
    sizes_.timed_steps = validation.steps();
    report_.header(devices_, validation.examples());
    observer_.generating_evaluation_model();
    validation.prepare(open_devices());
    describe(validation.session());
    observer_.initializing();
    evaluate_trained_models(setup_.options, validation, std::move(first), newest, report_,
                            [this] { return interrupted(); });
    report_bad_records(validation.read_so_far(), " of the validation data");
  }

  void read_only() {
    check_input_only(setup_.options);
    data::DataOptions data = data_options(setup_, sizes_, devices_);
    const std::unique_ptr<data::BatchSource> source = data::make_source(data);
    if (!setup_.options.dump_file.empty()) {
      dump_batch(*source, data, setup_.options.dump_file);
      tell(fmt::format("the first batch is in {}", setup_.options.dump_file));
      ++data.first_step;  // the batches behind it are measured
    }
    tell(source->notices());
    count_epochs(source->samples_per_epoch());
    report_.header(devices_, source->samples_per_epoch());
    observer_.warming_up();
    const auto go_on = [this](std::int64_t step, double seconds) {
      if (step == 1) observer_.warmed_up();
      report_.input_step(step, seconds);
      return !interrupted();
    };
    report_.input_total(
        measure_input(*source, data, {sizes_.warmup_steps, sizes_.timed_steps}, go_on));
    report_bad_records(source->statistics());
  }

  void predict() {
    if (wants_prediction())
      prediction_.emplace(setup_, [this](const std::string& text) { tell(text); });
  }

  std::shared_ptr<runtime::OpenDevices> open_devices() {
    if (setup_.task == nullptr) predict();
    if (setup_.open_devices) return std::exchange(setup_.open_devices, nullptr);
    return job::open_devices(setup_, devices_);
  }

  // With the other tasks. What --variable_update=auto takes may depend on how fast that is.
  void link(const std::shared_ptr<runtime::OpenDevices>& devices) {
    if (setup_.task == nullptr) return;
    setup_.task->link(setup_.catalog, *setup_.host, devices, log_to(observer_));
    setup_.open_devices = devices;  // predictions ask the devices
    if (setup_.decides_on_links) {
      choose_on_links(setup_, sizes_, log_to(observer_),
                      [this](const std::string& text) { tell(text); });
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
    runtime::SessionOptions options = session_options(setup_, sizes_, devices_);
    options.profile = setup_.options.profile;
    if (mode() == RunMode::kForwardOnly)
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

  void describe(const runtime::Session& session) {
    report_.describe(session);
    tell(runtime::emulation_notice(session.options().dtype, session.devices()));
    tell(lowered_collectives_notice(session.logical_plan()));
    if (!session.forward_only())
      tell(runtime::unproved_notice(setup_.strategy->manifest(), session.check()));
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

  // Files may hold more or less than the published data set: epochs are passes over what there is.
  void count_epochs(std::int64_t examples) {
    if (setup_.options.num_epochs)
      sizes_.timed_steps = train::timed_steps({}, setup_.options.num_epochs,
                                              std::int64_t{replicas_} * sizes_.batch, examples);
  }

  // What all tasks do together: the chief, whose files it is for, says whether.
  bool wanted_by_chief(const char* what, bool own) const {
    if (setup_.task == nullptr) return own;
    return setup_.task->from_chief(what, own ? "yes" : "no") == "yes";
  }

  void train() {
    checkpoints_ = std::make_unique<Checkpoints>(setup_, std::int64_t{replicas_} * sizes_.batch,
                                                 [this](const std::string& text) { tell(text); });
    data::DataOptions data = data_options(setup_, sizes_, devices_);
    tell(shared_cores_notice(setup_, devices_));
    const std::shared_ptr<runtime::OpenDevices> devices = open_devices();
    link(devices);
    data.image_memory = runtime::input_memory(devices);
    data.first_step = checkpoints_->first_step();
    data.sample_offset = checkpoints_->sample_offset();
    const std::unique_ptr<data::BatchSource> source = data::make_source(data);
    tell(source->notices());
    const std::int64_t examples = examples_per_epoch(*source);
    count_epochs(examples);
    if (mode() != RunMode::kForwardOnly)
      tell(shorten_resumed_run(sizes_, checkpoints_->first_step()));
    tell(unused_evaluation_flags(setup_.options.evaluation));
    report_.header(devices_, examples);
    prepare_evaluations(examples);
    wants_trace_ = wanted_by_chief("trace wanted", !setup_.options.trace_file.empty());
    generating_model();
    const std::unique_ptr<runtime::Session> session = open_session(devices);
    check_asynchronous(*session);
    if (validation_) validation_->prepare(session->open_devices());
    begin_trial(*session);
    describe(*session);
    gpus_ = std::make_unique<GpuWatch>(*session);
    if (setup_.options.profile) profile_ = std::make_unique<ProfileCollector>(*session);
    observer_.initializing();
    checkpoints_->restore(*session);
    // A task may take long until here, and the collectives of a step have a time limit.
    if (setup_.task != nullptr) static_cast<void>(setup_.task->exchange("ready to train", ""));
    observer_.warming_up();
    conclude(run_steps(*session, *source, examples), *session, *source);
  }

  runtime::TrainingSummary run_steps(runtime::Session& session, data::BatchSource& source,
                                     std::int64_t examples) {
    try {
      return runtime::run_training(
          session, source, schedule(setup_, sizes_, devices_, examples),
          training_loop_options(setup_, sizes_, checkpoints_->first_step()), events(session));
    } catch (const Error&) {
      report_bad_records(source.statistics());
      throw;
    }
  }

  // Of a training that has ended by itself: what came of it, to people and files.
  void conclude(const runtime::TrainingSummary& summary, runtime::Session& session,
                const data::BatchSource& source) {
    note_gpus();
    if (trial_) trial_->finish();
    report_.total(summary, (evaluations_ ? evaluations_->seconds() : 0) +
                               (trial_ ? trial_->timed_exchange_seconds() : 0) +
                               standstill_seconds_);
    report_.gpus_line();
    tell(report_.prediction_line());
    report_profile(summary);
    note_timeline(session);
    checkpoints_->finish(summary, session);  // nothing that fails from here on loses the training
    gather_traces();
    if (evaluations_) evaluations_->final(summary, session);
    report_.input_verdict();
    if (wanted_by_chief("parameter hash", report_.shows_parameter_hash()))
      report_.parameters(runtime::parameter_hash(session));
    report_bad_records(source.statistics());
    if (validation_) report_bad_records(validation_->read_so_far(), " of the validation data");
    if (summary.diverged) tell(divergence_text(*summary.diverged, sizes_.warmup_steps));
    if (setup_.task == nullptr) return;
    if (summary.stopped) stop_ = setup_.task->interruption();
    finish_task(summary);
  }

  // Of one process that trains, or the chief of several.
  bool wants_prediction() const {
    const bool speaks = setup_.task == nullptr || setup_.task->is_chief();
    return wants_timeline(setup_.options) && speaks &&
           (mode() == RunMode::kTraining || mode() == RunMode::kTrainingAndEvaluation);
  }

  void note_timeline(const runtime::Session& session) {
    if (!wants_timeline(setup_.options)) return;
    report_.timeline(session);
    if (prediction_) report_.prediction(prediction_->of(session));
  }

  void trace_step(runtime::Session& session, const runtime::StepTrace& step) {
    if (setup_.task != nullptr && !clock_)
      clock_ = setup_.task->common_clock([&session] { return session.now(); });
    report_.trace(session, step);
  }

  void gather_traces() {
    if (!wants_trace_) return;
    if (setup_.task != nullptr) {
      report_.trace(
          gather_trace(*setup_.task, report_.own_trace(), clock_.value_or(CommonClock{})));
      tell(report_.trace_notice());
    }
    if (!setup_.options.trace_file.empty() && !report_.traced())
      tell("no step was traced, because too few were run: no trace file is written");
  }

  // What every task's step was spent on, for the chief's record.
  void finish_task(const runtime::TrainingSummary& summary) {
    report_.peers(setup_.task->peers());
    report_.tasks(tasks_of_run(*setup_.task, summary.breakdown));
  }

  // The warm-up is long enough for the trial, unless the user said how long it is.
  void begin_trial(runtime::Session& session) {
    if (!setup_.shortlist) return;
    constexpr std::int64_t kSettling = 3;  // steps between the trial and the first timed one
    trial_ = std::make_unique<AutoTrial>(
        setup_, session, checkpoints_->first_step(), sizes_.warmup_steps + sizes_.timed_steps,
        log_to(observer_), [this](const std::string& text) { tell(text); });
    if (trial_->over() || setup_.options.num_warmup_batches) return;
    sizes_.warmup_steps = std::max(sizes_.warmup_steps, trial_->most_steps() + kSettling);
  }

  void note_gpus() {
    if (gpus_ && gpus_->has_gpus()) report_.gpus(gpus_->readings());
    gpus_.reset();
  }

  void report_profile(const runtime::TrainingSummary& summary) {
    if (!profile_) return;
    const std::optional<report::ProfileRecord> profile =
        profile_->record(summary, sizes_.warmup_steps);
    if (profile) report_.profile(*profile);
    profile_.reset();  // it refers to the session
  }

  void prepare_evaluations(std::int64_t training_examples) {
    if (mode() != RunMode::kTrainingAndEvaluation) return;
    if (setup_.task == nullptr || setup_.task->is_chief())
      validation_ = std::make_unique<Validation>(validation());
    if (validation_) tell(validation_->notices());
    evaluations_ = std::make_unique<TrainingEvaluations>(
        setup_, sizes_, validation_.get(), training_examples,
        std::int64_t{replicas_} * sizes_.batch, report_, [this] { return interrupted(); });
  }

  void generating_model() {
    observer_.generating_model();
    if (validation_) observer_.generating_evaluation_model();
  }

  void report_bad_records(const data::SourceStatistics& read, const char* of = "") {
    if (read.bad_records == 0) return;
    const bool is_one = read.bad_records == 1;
    tell(fmt::format("{}{} {} skipped{}: {}", counted(read.bad_records, "bad record"), of,
                     is_one ? "was" : "were", is_one ? "" : ", for example",
                     read.bad_record_example));
  }

  void tell(const std::string& text) { report_.tell(text); }
  void tell(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) tell(text);
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
      tell(report_.drift_notice(step));
    };
    events.stop_requested = [this] {
      return setup_.task == nullptr ? interrupted() : setup_.task->wants_to_end();
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

  Setup& setup_;
  std::uint32_t devices_;  // of this task
  Sizes sizes_;
  std::uint32_t replicas_;  // of all tasks
  RunReport report_;
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
  std::optional<network::Interruption> stop_;  // of all tasks, by one of them
  std::optional<CommonClock> clock_;           // of several tasks, when the step was traced
  std::unique_ptr<Checkpoints> checkpoints_;
};

}  // namespace

report::RunRecord run(Setup& setup, report::RunObserver& observer,
                      std::span<const std::string> command_line) {
  return Run(command_line, setup, observer).execute();
}

}  // namespace convoy::job
