#include "core/cli/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <thread>

#include "core/base/error.hpp"
#include "core/cli/flag_parser.hpp"
#include "core/cli/input_only.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/run_checkpoints.hpp"
#include "core/cli/run_evaluation.hpp"
#include "core/cli/run_gpus.hpp"
#include "core/cli/run_parts.hpp"
#include "core/cli/run_profile.hpp"
#include "core/cli/run_report.hpp"
#include "core/cli/run_setup.hpp"
#include "core/cli/run_sizes.hpp"
#include "core/data/dataset.hpp"
#include "core/data/source_factory.hpp"
#include "core/plan/device_collective.hpp"
#include "core/runtime/compute_dtype.hpp"
#include "core/runtime/input_memory.hpp"
#include "core/runtime/parameter_hash.hpp"
#include "core/runtime/session.hpp"
#include "core/runtime/training_loop.hpp"
#include "core/train/run_length.hpp"

namespace convoy {
namespace {

class Run {
 public:
  Run(std::span<const std::string> arguments, RunSetup& setup, std::ostream& out, std::ostream& err)
      : setup_(setup),
        devices_(count_devices(setup)),
        sizes_(choose_sizes(setup, devices_, std::max(1u, std::thread::hardware_concurrency()))),
        report_(arguments, setup, sizes_, devices_, out, err),
        err_(err) {
    if (sizes_.adapted)
      setup_.notices.push_back(
          fmt::format("batch size {} per device, {} warm-up and {} timed steps suit these devices; "
                      "--batch_size, --num_warmup_batches and --num_batches change that",
                      sizes_.batch, sizes_.warmup_steps, sizes_.timed_steps));
  }

  // Writes the record also when the run fails.
  int execute() {
    for (const std::string& notice : setup_.notices) err_ << "convoy: " << notice << '\n';
    try {
      if (setup_.options.input_only)
        read_only();
      else if (mode() == RunMode::kEvaluation)
        evaluate();
      else
        train();
    } catch (const Error& error) {
      note_gpus();
      report_.finish(static_cast<int>(error.code()), false, error.what());
      throw;
    }
    const ExitCode code = interrupt_.code();
    if (interrupt_.requested())
      err_ << "convoy: interrupted; the summary covers the steps so far\n";
    report_.finish(static_cast<int>(code), interrupt_.requested(), "");
    return static_cast<int>(code);
  }

 private:
  RunMode mode() const { return setup_.options.evaluation.mode; }

  Validation validation() const {
    return {setup_, sizes_, session_options(setup_, sizes_, devices_),
            data_options(setup_, sizes_, devices_)};
  }

  void evaluate() {
    Validation validation = this->validation();
    if (setup_.options.profile || !setup_.options.trace_file.empty())
      tell("--profile and --trace_file are about training steps: without effect under --eval");
    sizes_.timed_steps = validation.steps();
    report_.header(devices_, validation.examples());
    report_.console().generating_evaluation_model();
    validation.prepare(open_devices());
    describe(validation.session());
    report_.console().initializing();
    evaluate_trained_models(
        setup_.options, setup_.flags->text("train_dir"), validation,
        [this] {
          return find_trained_model(setup_.options.checkpoints.train_dir, *setup_.graph,
                                    [this](const std::string& text) { tell(text); });
        },
        report_, [this] { return interrupt_.requested(); });
    report_validation(validation);
  }

  void read_only() {
    check_input_only(setup_.options);
    const DataOptions data = data_options(setup_, sizes_, devices_);
    const std::unique_ptr<BatchSource> source = make_source(data);
    report_.header(devices_, source->samples_per_epoch());
    report_.console().warming_up();
    const InputSpeed speed = measure_input(*source, data, {sizes_.warmup_steps, sizes_.timed_steps},
                                           [this](std::int64_t step, double seconds) {
                                             if (step == 1) report_.console().warmed_up();
                                             report_.input_step(step, seconds);
                                             return !interrupt_.requested();
                                           });
    report_.input_total(speed);
    report_bad_records(*source);
  }

  std::shared_ptr<OpenDevices> open_devices() const {
    return std::make_shared<OpenDevices>(
        *setup_.device, devices_, static_cast<std::uint32_t>(setup_.options.threads_per_device));
  }

  std::unique_ptr<Session> open_session(std::shared_ptr<OpenDevices> devices) const {
    SessionOptions options = session_options(setup_, sizes_, devices_);
    options.profile = setup_.options.profile;
    if (mode() == RunMode::kForwardOnly)
      return std::make_unique<Session>(*setup_.graph, std::move(devices), options);
    return std::make_unique<Session>(*setup_.graph, *setup_.strategy, std::move(devices), options);
  }

  void describe(const Session& session) {
    report_.describe(session);
    const std::string notice = emulation_notice(session.options().dtype, session.devices());
    if (!notice.empty()) tell(notice);
    const std::string collectives = lowered_collectives_notice(session.logical_plan());
    if (!collectives.empty()) tell(collectives);
  }

  void train() {
    checkpoints_ =
        std::make_unique<RunCheckpoints>(setup_, std::int64_t{devices_} * sizes_.batch,
                                         [this](const std::string& text) { tell(text); });
    DataOptions data = data_options(setup_, sizes_, devices_);
    if (const auto notice = shared_cores_notice(setup_, devices_); !notice.empty()) tell(notice);
    const std::shared_ptr<OpenDevices> devices = open_devices();
    data.image_memory = input_memory(devices);
    data.first_step = checkpoints_->first_step();
    data.sample_offset = checkpoints_->sample_offset();
    const std::unique_ptr<BatchSource> source = make_source(data);
    // Files may hold more or less than the published data set: epochs are passes over what there
    // is.
    const std::int64_t examples = source->samples_per_epoch();
    if (setup_.options.num_epochs)
      sizes_.timed_steps = timed_steps({}, setup_.options.num_epochs,
                                       std::int64_t{devices_} * sizes_.batch, examples);
    shorten_resumed_run();
    report_.header(devices_, examples);
    prepare_evaluations(examples);
    generating_model();
    const std::unique_ptr<Session> session = open_session(devices);
    if (validation_) validation_->prepare(session->open_devices());
    describe(*session);
    gpus_ = std::make_unique<RunGpus>(*session);
    if (setup_.options.profile) profile_ = std::make_unique<RunProfile>(*session);
    report_.console().initializing();
    checkpoints_->restore(*session);
    report_.console().warming_up();
    TrainingSummary summary;
    try {
      summary = run_training(*session, *source, schedule(setup_, sizes_, devices_, examples),
                             training_loop_options(setup_, sizes_, checkpoints_->first_step()),
                             events(*session));
    } catch (const Error&) {
      report_bad_records(*source);
      throw;
    }
    note_gpus();
    report_.total(summary, evaluations_ ? evaluations_->seconds() : 0);
    report_.gpus_line();
    if (const auto line = report_.prediction_line(); !line.empty()) tell(line);
    report_profile(summary);
    if (!setup_.options.trace_file.empty() && !report_.traced())
      tell("no step was traced, because too few were run: no trace file is written");
    if (evaluations_) evaluations_->final(summary, *session);
    report_.input_verdict();
    checkpoints_->finish(summary, *session);
    if (report_.shows_parameter_hash()) report_.parameters(parameter_hash(*session));
    report_bad_records(*source);
    if (validation_) report_validation(*validation_);
    if (summary.diverged)
      tell(
          fmt::format("the loss is not finite from step {} on: the model's own learning rate does "
                      "not suit unnormalised synthetic images; speed is not affected",
                      *summary.diverged));
  }

  void note_gpus() {
    if (gpus_ && gpus_->has_gpus()) report_.gpus(gpus_->record());
    gpus_.reset();
  }

  void report_profile(const TrainingSummary& summary) {
    if (!profile_) return;
    const std::optional<ProfileRecord> profile = profile_->record(summary, sizes_.warmup_steps);
    if (profile) report_.profile(*profile);
    profile_.reset();  // it refers to the session
  }

  // Steps count from the very first run on, warm-up included.
  void shorten_resumed_run() {
    const std::int64_t done = checkpoints_->first_step();
    if (done == 0) return;
    const std::int64_t wanted = sizes_.timed_steps;
    sizes_.timed_steps = std::max<std::int64_t>(0, wanted - done);
    if (sizes_.timed_steps > 0) return;
    sizes_.warmup_steps = 0;
    tell(
        fmt::format("nothing to train: the checkpoint is at step {}, and {} steps were asked for; "
                    "--num_batches counts the steps of earlier runs, too",
                    done, wanted));
  }

  void prepare_evaluations(std::int64_t training_examples) {
    if (mode() != RunMode::kTrainingAndEvaluation) return;
    validation_ = std::make_unique<Validation>(validation());
    evaluations_ = std::make_unique<TrainingEvaluations>(
        setup_, sizes_, *validation_, training_examples, std::int64_t{devices_} * sizes_.batch,
        report_, [this] { return interrupt_.requested(); });
  }

  void generating_model() {
    if (mode() == RunMode::kForwardOnly)
      report_.console().generating_inference_model();
    else
      report_.console().generating_model();
    if (validation_) report_.console().generating_evaluation_model();
  }

  void report_validation(const Validation& validation) {
    if (validation.bad_records() > 0)
      tell(fmt::format("{} bad records of the validation data were skipped",
                       validation.bad_records()));
  }

  void report_bad_records(const BatchSource& source) {
    const auto skipped = source.statistics().bad_records;
    if (skipped == 0) return;
    tell(fmt::format("{} bad records were skipped", skipped));
  }

  void tell(const std::string& text) {
    err_ << "convoy: " << text << '\n';
    report_.note(text);
  }

  TrainingEvents events(Session& session) {
    TrainingEvents events;
    events.warmed_up = [this] {
      if (profile_) profile_->warmed_up();
      gpus_->start();
      report_.console().warmed_up();
      report_.console().columns();
    };
    events.warmup_step = [this](const TrainingStep& step) { report_.warmup_step(step); };
    events.timed_step = [this](const TrainingStep& step) {
      report_.timed_step(step);
      if (const auto notice = report_.drift_notice(step); !notice.empty()) tell(notice);
    };
    if (!setup_.options.trace_file.empty())
      events.trace = [this, &session](const StepTrace& step) { report_.trace(session, step); };
    events.stop_requested = [this] { return interrupt_.requested(); };
    events.pause_after = [this](const PausePoint& point) {
      evaluation_due_ = evaluations_ && evaluations_->due(point);
      return checkpoints_->due(point) || evaluation_due_;
    };
    events.paused = [this, &session](const PausePoint& point) {
      checkpoints_->pause(point, session);
      return !evaluation_due_ || evaluations_->pause(point, session);
    };
    return events;
  }

  RunSetup& setup_;
  std::uint32_t devices_;
  RunSizes sizes_;
  RunReport report_;
  std::ostream& err_;
  InterruptGuard interrupt_;
  std::unique_ptr<Validation> validation_;
  std::unique_ptr<TrainingEvaluations> evaluations_;
  std::unique_ptr<RunProfile> profile_;
  std::unique_ptr<RunGpus> gpus_;
  bool evaluation_due_ = false;
  std::unique_ptr<RunCheckpoints> checkpoints_;
};

}  // namespace

int run_training_verb(std::span<const std::string> arguments, std::ostream& out,
                      std::ostream& err) {
  if (wants_help(arguments)) {
    out << "convoy run [flags]: trains a model and prints images per second.\n\n"
        << run_help(arguments);
    return 0;
  }
  const PluginLog log = [&err](std::int32_t level, std::string_view plugin, std::string_view text) {
    if (level >= CONVOY_LOG_INFO) err << fmt::format("convoy: {}: {}\n", plugin, text);
  };
  RunSetup setup = set_up_run(arguments, log);
  if (!setup.options.output_file.empty()) check_run_record_path(setup.options.output_file);
  return Run(arguments, setup, out, err).execute();
}

}  // namespace convoy
