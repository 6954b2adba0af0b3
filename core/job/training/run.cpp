#include "core/job/training/run.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/base/text/counted.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/component_options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/training/checkpoints.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/input_only.hpp"
#include "core/job/training/run_context.hpp"
#include "core/job/training/training_run.hpp"
#include "core/job/without_effect.hpp"
#include "core/report/html/write_report.hpp"
#include "core/select/candidate.hpp"

namespace convoy::job {
namespace {

// Returns a notice for each group of given flags that need another flag, which is not given; empty
// texts for the other groups.
std::vector<std::string> flags_that_need_others(const JobOptions& options) {
  const JobOptions usual;
  const bool no_images = options.data_dir.empty();
  const bool named = options.variable_update != select::kAutoStrategy;
  const bool no_record = options.output_file.empty() && options.report_file.empty();
  return {
      without_effect({{"distortions", no_images && options.distortions},
                      {"resize_method", no_images && options.resize_method != usual.resize_method},
                      {"on_bad_record", no_images && options.on_bad_record != usual.on_bad_record},
                      {"datasets_use_caching", no_images && options.cache_records},
                      {"datasets_repeat_cached_sample", no_images && options.repeat_one_record}},
                     "without --data_dir images are synthetic"),
      without_effect({{"auto", named && options.auto_mode != usual.auto_mode},
                      {"auto_inexact", named && options.auto_inexact}},
                     "--variable_update names the strategy"),
      without_effect({{"fp16_inc_loss_scale_every_n",
                       !options.gradients.automatic_loss_scale &&
                           options.gradients.increase_every != usual.gradients.increase_every}},
                     "without --fp16_enable_auto_loss_scale the scale stays the same"),
      without_effect({{"record_timeline", no_record && options.record_timeline}},
                     "without --output_file and --report no record is written")};
}

// Runs the mode that the options ask for, and writes the record, even if the run fails.
class Run {
 public:
  Run(std::span<const std::string> command_line, Setup& setup, report::RunObserver& observer)
      : run_(command_line, setup, observer), training_(run_) {}

  report::RunRecord execute() {
    try {
      do_what_is_asked();
    } catch (const Error& own) {
      training_.note_gpus();
      const Error error = run_.setup.task == nullptr ? own : run_.setup.task->explain(own);
      finish_failed(error);
      throw error;
    } catch (const std::exception& unforeseen) {
      training_.note_gpus();
      finish_failed(error_of(unforeseen));
      throw;  // unchanged, because the caller reports such exceptions itself
    }
    const std::optional<network::Interruption>& stop = training_.stop();
    const ExitCode code = stop ? stop->code : run_.observer.interruption();
    if (stop)
      run_.tell(fmt::format("{}; the summary covers the steps so far", stop->text));
    else if (run_.interrupted())
      run_.observer.notice("interrupted; the summary covers the steps so far");
    run_.report.finish(static_cast<int>(code), code != ExitCode::kOk, "");
    write_files();
    return std::move(run_.record);
  }

 private:
  void do_what_is_asked() {
    // Launchers give all tasks the same flags, and only the chief writes files.
    if (run_.setup.task == nullptr || run_.setup.task->is_chief())
      run_.tell(flags_that_need_others(run_.setup.options));
    if (run_.setup.options.input_only)
      read_only();
    else if (run_.mode() == RunMode::kEvaluation)
      evaluate();
    else
      training_.train();
  }

  // The error that ended the run is reported even if its record cannot be written.
  void finish_failed(const Error& error) {
    if (run_.trace.lacks_tasks())
      run_.tell("the trace has only this task's operations, because the run failed");
    run_.report.finish(static_cast<int>(error.code()), false, error.what());
    try {
      write_files();
    } catch (const Error& unwritten) {
      run_.observer.notice(unwritten.what());
    }
  }

  void write_files() const {
    const JobOptions& options = run_.setup.options;
    if (!options.output_file.empty()) report::write_run_record(run_.record, options.output_file);
    run_.trace.write();
    if (options.report_file.empty()) return;
    const std::string name = options.output_file.empty() ? "this run" : options.output_file;
    report::write_report({report::parse_record(name, report::run_record_json(run_.record))},
                         options.report_file);
  }

  void evaluate() {
    const FindTrainedModel newest = [this] {
      return find_trained_model(run_.setup.options.checkpoints, *run_.setup.graph, run_.teller());
    };
    std::optional<TrainedModel> first = first_trained_model(run_.setup.options, newest);
    Validation validation = run_.validation();
    tell_flags_of_steps("eval");
    run_.tell(validation.notices());
    run_.sizes.timed_steps = validation.steps();
    run_.report.header(validation.examples(), validation.epochs());
    run_.observer.enters(report::RunPhase::kGeneratingEvaluationModel);
    run_.observer.progress(fmt::format("preparing {}", counted(run_.devices, "device")));
    validation.prepare(run_.take_devices());
    run_.describe(validation.session());
    run_.observer.enters(report::RunPhase::kInitializing);
    evaluate_trained_models(run_, validation, std::move(first), newest);
    run_.report_bad_records(validation.read_so_far(), " of the validation data");
  }

  void tell_flags_of_steps(const char* mode) {
    const JobOptions& options = run_.setup.options;
    run_.tell(without_effect({{"profile", options.profile},
                              {"trace_file", !options.trace_file.empty()},
                              {"print_parameter_hash", options.print_parameter_hash}},
                             fmt::format("--{} runs no training steps", mode)));
  }

  void read_only() {
    check_input_only(run_.setup.options);
    tell_flags_of_steps("input_only");
    data::DataOptions data = data_options(run_.setup, run_.sizes, run_.devices);
    const std::unique_ptr<data::BatchSource> source = data::make_source(data);
    if (!run_.setup.options.dump_file.empty()) {
      dump_batch(*source, data, run_.setup.options.dump_file);
      run_.tell(fmt::format("the first batch is in {}", run_.setup.options.dump_file));
      ++data.first_step;  // the batches after it are measured
    }
    run_.tell(source->notices());
    run_.count_epochs(source->samples_per_epoch());
    run_.report.header(source->samples_per_epoch());
    run_.observer.enters(report::RunPhase::kWarmingUp);
    const auto go_on = [this](std::int64_t step, double seconds) {
      if (step == 1) run_.observer.enters(report::RunPhase::kWarmedUp);
      run_.report.input_step(step, seconds);
      return !run_.interrupted();
    };
    run_.report.input_total(
        measure_input(*source, data, {run_.sizes.warmup_steps, run_.sizes.timed_steps}, go_on));
    run_.report_bad_records(source->statistics());
  }

  RunContext run_;
  TrainingRun training_;
};

}  // namespace

report::RunRecord run(Setup& setup, report::RunObserver& observer,
                      std::span<const std::string> command_line) {
  return Run(command_line, setup, observer).execute();
}

}  // namespace convoy::job
