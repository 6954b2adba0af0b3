#include "core/job/training/run.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/system_refusal.hpp"
#include "core/data/pipeline/source_factory.hpp"
#include "core/job/component_options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/training/checkpoints.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/input_only.hpp"
#include "core/job/training/run_context.hpp"
#include "core/job/training/training_run.hpp"

namespace convoy::job {
namespace {

void evaluate(RunContext& run) {
  const JobOptions& options = run.setup.options;
  const FindTrainedModel newest = [&] {
    return find_trained_model(options.checkpoints, *run.setup.graph, run.teller());
  };
  std::optional<TrainedModel> first = first_trained_model(options, newest);
  Validation validation = run.validation();
  if (options.profile || !options.trace_file.empty())
    run.tell("--profile and --trace_file are about training steps: without effect under --eval");
  run.tell(validation.notices());
  run.sizes.timed_steps = validation.steps();
  run.report.header(run.devices, validation.examples());
  run.observer.generating_evaluation_model();
  validation.prepare(run.open_devices());
  run.describe(validation.session());
  run.observer.initializing();
  evaluate_trained_models(options, validation, std::move(first), newest, run.report,
                          [&run] { return run.interrupted(); });
  run.tell_bad_records(validation.read_so_far(), " of the validation data");
}

void read_only(RunContext& run) {
  const JobOptions& options = run.setup.options;
  check_input_only(options);
  data::DataOptions data = data_options(run.setup, run.sizes, run.devices);
  const std::unique_ptr<data::BatchSource> source = data::make_source(data);
  if (!options.dump_file.empty()) {
    dump_batch(*source, data, options.dump_file);
    run.tell(fmt::format("the first batch is in {}", options.dump_file));
    ++data.first_step;  // the batches behind it are measured
  }
  run.tell(source->notices());
  run.count_epochs(source->samples_per_epoch());
  run.report.header(run.devices, source->samples_per_epoch());
  run.observer.warming_up();
  const auto go_on = [&run](std::int64_t step, double seconds) {
    if (step == 1) run.observer.warmed_up();
    run.report.input_step(step, seconds);
    return !run.interrupted();
  };
  run.report.input_total(
      measure_input(*source, data, {run.sizes.warmup_steps, run.sizes.timed_steps}, go_on));
  run.tell_bad_records(source->statistics());
}

// Why all tasks stopped, if one of them was interrupted.
std::optional<network::Interruption> do_what_is_asked(RunContext& run) {
  check_dump(run.setup.options);
  if (!run.setup.options.input_only && run.mode() != RunMode::kEvaluation) return train(run);
  if (run.setup.options.input_only)
    read_only(run);
  else
    evaluate(run);
  return {};
}

report::RunRecord finish(RunContext& run, const std::optional<network::Interruption>& stop) {
  const ExitCode code = stop ? stop->code : run.observer.interruption();
  if (stop)
    run.tell(fmt::format("{}; the summary covers the steps so far", stop->text));
  else if (run.interrupted())
    run.observer.notice("interrupted; the summary covers the steps so far");
  run.report.finish(static_cast<int>(code), code != ExitCode::kOk, "");
  return run.report.record();
}

void finish_failed(RunContext& run, const Error& error) {
  run.report.finish(static_cast<int>(error.code()), false, error.what());
}

}  // namespace

report::RunRecord run(Setup& setup, report::RunObserver& observer,
                      std::span<const std::string> command_line) {
  RunContext context(command_line, setup, observer);
  std::optional<network::Interruption> stop;
  try {
    stop = do_what_is_asked(context);
  } catch (const Error& own) {
    const Error error = setup.task == nullptr ? own : setup.task->explain(own);
    finish_failed(context, error);
    throw error;
  } catch (const std::exception& unforeseen) {
    finish_failed(
        context,
        refusal_by_system(unforeseen).value_or(Error(ExitCode::kFailed, unforeseen.what())));
    throw;  // as it came: the program tells what it meets itself
  }
  return finish(context, stop);
}

}  // namespace convoy::job
