#include "core/job/training/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text/system_text.hpp"
#include "core/base/version.hpp"
#include "core/job/auto/selection_text.hpp"
#include "core/job/options.hpp"
#include "core/job/tasks/task.hpp"
#include "core/report/console.hpp"
#include "core/report/progress.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

std::optional<Accuracy> accuracy_of(const TrainingStep& step) {
  if (!step.top_1) return std::nullopt;
  return Accuracy{*step.top_1, *step.top_5};
}

// Returns the number of workers in this process that take steps of their own. Servers take none.
std::int64_t count_workers_here(const runtime::Session& session) {
  return std::ranges::count_if(session.strands(),
                               [](const auto& strand) { return !strand->replicas().empty(); });
}

// Returns the workers with their speeds outside the pauses, in which all of them stand still.
std::vector<WorkerRecord> without_pauses(std::vector<WorkerRecord> workers, double paused_seconds) {
  for (WorkerRecord& worker : workers) {
    const double seconds = worker.seconds - paused_seconds;
    if (seconds <= 0) continue;
    worker.images_per_second *= worker.seconds / seconds;
    worker.seconds = seconds;
  }
  return workers;
}

double speed_of(const std::vector<WorkerRecord>& workers) {
  double sum = 0;
  for (const WorkerRecord& worker : workers) sum += worker.images_per_second;
  return sum;
}

// Returns a text such as "worker 1: 103 steps, 12.34 images/sec; between reading and updating a
// variable it was updated 1.2 times on average, 4 at most".
std::string worker_text(const WorkerRecord& worker) {
  std::string text = fmt::format("worker {}: {} steps, {:.2f} images/sec", worker.worker,
                                 worker.steps, worker.images_per_second);
  std::uint64_t times = 0;
  std::uint64_t updates = 0;
  for (const auto& [seen, often] : worker.staleness) {
    times += often;
    updates += seen * often;
  }
  if (times == 0) return text;
  return fmt::format(
      "{}; between reading and updating a variable it was updated {:.1f} times on "
      "average, {} at most",
      text, static_cast<double>(updates) / static_cast<double>(times),
      worker.staleness.rbegin()->first);
}

bool keeps_steps(const JobOptions& options) {
  return options.keep_steps || !options.output_file.empty() || !options.report_file.empty();
}

}  // namespace

RunReport::RunReport(std::span<const std::string> arguments, const Setup& setup, const Sizes& sizes,
                     std::uint32_t devices, report::RunRecord& record,
                     report::RunObserver& observer)
    : setup_(setup),
      sizes_(sizes),
      devices_(devices),
      record_(record),
      observer_(observer),
      statistics_(static_cast<double>(std::int64_t{devices} * sizes.batch),
                  setup.options.display_perf_ewma) {
  record_.environment = report::detect_environment(kVersion);
  record_.command_line.assign(arguments.begin(), arguments.end());
  record_.flags = setup.options.settings;
  record_.model = setup.graph->model();
  record_.dataset = setup.model_info.dataset;
  record_.synthetic_data = setup.options.data_dir.empty();
  record_.mode =
      setup.options.input_only ? "input only" : run_mode_name(setup.options.evaluation.mode());
  note_strategy(*setup.strategy);
  if (setup.decision) note_selection(*setup.decision);
  record_.optimizer = train::optimizer_name(setup.options.optimizer.kind);
  record_.batch_per_device = sizes.batch;
  record_.global_batch = std::int64_t{count_replicas(setup.task, devices)} * sizes.batch;
  if (setup.task != nullptr) record_.restarts = setup.task->restarts();
  record_.parameters = static_cast<std::int64_t>(setup.graph->parameter_count());
  record_.warmup_steps = sizes.warmup_steps;
  record_.computes_loss = !setup.options.evaluation.forward_only;
  record_.shows_base_loss = setup.options.loss_type_to_report == "base_loss";
  for (const std::string& notice : setup.notices) tell(notice);
}

void RunReport::note_strategy(const plugin::StrategyPlugin& strategy) {
  record_.strategy = strategy.manifest().name;
  record_.strategy_options = {strategy.options().begin(), strategy.options().end()};
}

void RunReport::note_plan(const runtime::Session& session) {
  if (!session.forward_only())
    record_.strategy_verdict = session.plan()->step.check().verdict_text();
  record_.plan_hash = session.plan()->step.hash();
}

// While strategies are being tried, no step time is expected.
void RunReport::note_selection(const select::Decision& decision) {
  record_.selection = decision;
  const double expected = select::expected_step_seconds(decision);
  const bool trusted = decision.calibrated || decision.trial;
  const bool undecided = setup_.shortlist && !decision.trial;
  if (trusted && expected > 0 && !undecided) drift_.emplace(expected);
}

void RunReport::take_decision() {
  note_strategy(*setup_.strategy);
  note_selection(*setup_.decision);
}

void RunReport::take_plan(const runtime::Session& session) {
  note_strategy(*session.plan()->strategy);
  note_selection(*setup_.decision);
  note_plan(session);
  note_memory(session);
  with_new_plan_.emplace(static_cast<double>(record_.global_batch));
}

// Empty while strategies are being tried, because the steps then ran several plans.
std::optional<double> RunReport::selected_step_seconds() const {
  const bool undecided = with_new_plan_ && !setup_.decision->trial;
  const report::SpeedStatistics& those = with_new_plan_ ? *with_new_plan_ : statistics_;
  if (!setup_.decision || undecided || those.steps() == 0) return {};
  return those.step_times().p50;
}

bool RunReport::speaks_for_all() const {
  return setup_.task == nullptr || setup_.task->is_chief();
}

// Compares the median step with the predicted one; empty without a prediction.
std::string RunReport::prediction_line() const {
  const std::optional<double> seconds = selected_step_seconds();
  return seconds && speaks_for_all() ? prediction_text(*setup_.decision, *seconds) : "";
}

void RunReport::describe(const runtime::Session& session) {
  note_plan(session);
  if (session.is_asynchronous()) {
    own_workers_ = std::max<std::int64_t>(1, count_workers_here(session));
    record_.worker_batch = static_cast<double>(std::int64_t{devices_} * sizes_.batch) /
                           static_cast<double>(own_workers_);
  }
  if (session.options().guard.gradient_norms)
    for (const graph::GraphVariable& variable : session.graph().variables())
      record_.gradient_names.push_back(variable.name);
  record_.compute_dtype = plan::dtype_name(session.options().dtype);
  for (const convoy_device_description& device : session.devices()->descriptions())
    record_.devices.push_back({device.name, setup_.device->manifest().name, device.model,
                               device.locality, device.threads, device.memory_bytes});
  record_.warmup_steps = sizes_.warmup_steps;
  note_memory(session);
  if (!session.forward_only() && session.plan()->step.check().updates_by_itself)
    tell(
        fmt::format("strategy {} updates parameters by arithmetic of its own, without an apply: "
                    "learning rate, weight decay and clipping have no effect",
                    record_.strategy));
  tell_details(session);
}

void RunReport::tell_details(const runtime::Session& session) {
  for (const DeviceRecord& device : record_.devices)
    observer_.detail(fmt::format("{}: {} ({})", device.name, device.model, device.locality));
  if (!session.forward_only())
    observer_.detail(
        fmt::format("the plan: {} operations as written, {} as they run in {} lanes; {}; hash {}",
                    session.plan()->step.logical().body.size(), session.lowered_plan().body.size(),
                    session.schedule().lanes.size(), session.plan()->step.check().verdict_text(),
                    record_.plan_hash));
  std::uint64_t bytes = 0;
  for (const report::PlaceMemory& place : record_.memory->places) bytes += place.use.total();
  observer_.detail(fmt::format(
      "memory: {} in {} places; prepared after {:.2f} s", bytes_text(bytes),
      record_.memory->places.size(),
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count()));
}

void RunReport::note_memory(const runtime::Session& session) {
  record_.memory.emplace();
  const std::vector<MemoryUse> uses = session.memory_use();
  for (std::size_t i = 0; i < uses.size(); ++i)
    record_.memory->places.push_back({session.cluster().places[i].name, uses[i]});
}

// Returns the options that have a line of their own in the header of tf_cnn_benchmarks.
std::vector<std::pair<std::string, std::string>> RunReport::strategy_details() const {
  std::vector<std::pair<std::string, std::string>> details;
  const auto& options = record_.strategy_options;
  if (const auto spec = options.find("all_reduce_spec"); spec != options.end())
    details.emplace_back("AllReduce", spec->second.empty() ? "None" : spec->second);
  if (const auto staged = options.find("staged_vars");
      staged != options.end() && staged->second == "true")
    details.emplace_back("Staged vars", "True");
  return details;
}

void RunReport::header(std::int64_t examples_per_epoch, std::optional<double> most_epochs) {
  report::ConsoleHeader header;
  header.version = kVersion;
  header.model = record_.model;
  header.dataset = record_.dataset;
  header.synthetic = record_.synthetic_data;
  header.mode = record_.mode;
  header.global_batch = record_.global_batch;
  header.batch_per_device = sizes_.batch;
  header.num_batches = sizes_.done_steps + sizes_.timed_steps;  // the number that was asked for
  header.num_epochs = static_cast<double>(header.num_batches) *
                      static_cast<double>(record_.global_batch) /
                      static_cast<double>(examples_per_epoch);
  if (most_epochs) header.num_epochs = std::min(header.num_epochs, *most_epochs);
  const std::string& kind = setup_.device->manifest().name;
  for (std::uint32_t i = 0; i < devices_; ++i)
    header.devices.push_back(fmt::format("/{}:{}", kind, i));
  header.bound_to_numa_nodes = true;
  header.data_format = setup_.options.data_format;
  header.optimizer = record_.optimizer;
  header.strategy = record_.strategy;
  if (setup_.shortlist) header.strategy += ", to begin with (--auto=measure)";
  header.strategy_details = strategy_details();
  observer_.header(header);
}

void RunReport::warmup_step(const TrainingStep& step) {
  const std::int64_t done = sizes_.warmup_steps + step.number + 1;
  const std::int64_t all = sizes_.warmup_steps + sizes_.timed_steps;
  observer_.progress(
      fmt::format("warm-up step {} of {}, {} left", done, sizes_.warmup_steps,
                  report::duration_text(step.seconds * static_cast<double>(all - done))));
}

// The remaining time does not include evaluations and checkpoints between the remaining steps.
std::string RunReport::progress_text(const char* of, std::int64_t step) const {
  // Workers with steps of their own take about the same number each.
  const std::int64_t all = std::max(step, sizes_.timed_steps * own_workers_);
  const double left = static_cast<double>(all - step) / static_cast<double>(own_workers_);
  return fmt::format("{} {} of {}, {:.2f} images/sec, {} left", of, step, all, statistics_.mean(),
                     report::duration_text(statistics_.average_seconds() * left));
}

void RunReport::timed_step(const TrainingStep& step) {
  statistics_.add(step.seconds);
  if (with_new_plan_) with_new_plan_->add(step.seconds);
  if (keeps_steps(setup_.options)) record_.steps.push_back(step);
  observer_.timed_step(step);
  if (report::is_displayed(step.number, setup_.options.display_every)) {
    // tf_cnn_benchmarks prints 0 where there is no loss.
    const double loss = record_.loss(step).value_or(0);
    observer_.step(step.number, statistics_.speed(), loss, accuracy_of(step));
  }
  observer_.progress(progress_text("step", step.number));
  if (const auto drift = drift_ ? drift_->add(step.seconds) : std::nullopt)
    tell(drift_text(*drift, *setup_.decision));
}

void RunReport::profile(const report::ProfileRecord& profile) {
  record_.profile = profile;
  observer_.result(
      report::profile_table(profile, record_.step_breakdown.value_or(runtime::StepBreakdown{})));
}

void RunReport::evaluation(const runtime::Evaluation& evaluation, const runtime::PausePoint& after,
                           const std::string& checkpoint) {
  const Accuracy accuracy{evaluation.top_1, evaluation.top_5};
  observer_.accuracy(accuracy, evaluation.examples);
  record_.evaluations.push_back({after.timed_step, after.global_step, accuracy, evaluation.examples,
                                 evaluation.seconds, evaluation.examples_per_second(), checkpoint});
}

void RunReport::evaluation_total(const runtime::Evaluation& evaluation) {
  record_.total_seconds = evaluation.seconds;
  record_.total_images_per_second = evaluation.examples_per_second();
  observer_.total(record_.total_images_per_second);
}

void RunReport::total(const runtime::TrainingSummary& summary, double paused_seconds) {
  if (summary.timed_steps == 0) return;
  if (summary.breakdown.steps > 0) record_.step_breakdown = summary.breakdown;
  record_.total_seconds = summary.total_seconds - paused_seconds;
  record_.workers = without_pauses(summary.workers, paused_seconds);
  record_.total_images_per_second =
      summary.workers.empty()
          ? static_cast<double>(summary.timed_steps * record_.global_batch) / record_.total_seconds
          : speed_of(record_.workers);
  if (setup_.options.evaluation.mode() != RunMode::kTrainingAndEvaluation && speaks_for_all())
    observer_.total(record_.total_images_per_second);
  if (speaks_for_all())
    for (const WorkerRecord& worker : record_.workers) tell(worker_text(worker));
  tell_gpus();
  tell(prediction_line());
  if (record_.synthetic_data) return;
  // If workers take steps of their own, a step has the images of one worker, and all of them wait
  // at the same time.
  const double images_per_step =
      summary.workers.empty() ? static_cast<double>(record_.global_batch) : record_.worker_batch;
  record_.input = report::judge_input(
      {static_cast<double>(summary.timed_steps) * images_per_step, record_.total_seconds,
       summary.input_wait_seconds / static_cast<double>(own_workers_)});
}

void RunReport::tell_gpus() {
  if (!record_.gpus || record_.total_images_per_second <= 0) return;
  const std::string line =
      convoy::report::gpus_line(*record_.gpus, record_.own_images_per_second());
  if (!line.empty()) observer_.notice(line);
}

void RunReport::input_verdict() {
  if (record_.input) observer_.notice(report::input_line(*record_.input));
}

void RunReport::input_step(std::int64_t step, double seconds) {
  if (step < 0) return;
  statistics_.add(seconds);
  observer_.progress(progress_text("batch", step));
}

void RunReport::input_total(const report::InputSpeed& speed) {
  if (speed.images == 0) return;
  record_.total_seconds = speed.seconds;
  record_.total_images_per_second = speed.images_per_second();
  record_.input_only = speed;
  observer_.total(record_.total_images_per_second);
  observer_.result(report::input_speed_line(speed));
}

void RunReport::peers(std::vector<PeerRecord> peers) {
  std::string text;
  for (const PeerRecord& peer : peers)
    text += fmt::format(
        "{}{} by {} ({:.0f} us round trip, {:.2f} GB/s): {:.1f} MB sent, {:.1f} MB received",
        text.empty() ? "" : "; ", peer.task, peer.transport, peer.round_trip_seconds * 1e6,
        peer.bytes_per_second / 1e9, static_cast<double>(peer.bytes_sent) / 1e6,
        static_cast<double>(peer.bytes_received) / 1e6);
  record_.peers = std::move(peers);
  if (!text.empty()) observer_.notice(text);
}

bool RunReport::shows_parameter_hash() const {
  return prints_parameter_hash() || !setup_.options.output_file.empty();
}

bool RunReport::prints_parameter_hash() const {
  return setup_.options.print_parameter_hash || setup_.options.deterministic;
}

void RunReport::tell(const std::string& notice) {
  if (notice.empty()) return;
  observer_.notice(notice);
  record_.notices.push_back(notice);
}

void RunReport::parameters(const std::string& hash) {
  record_.parameter_hash = hash;
  if (prints_parameter_hash()) observer_.result("parameter hash: " + hash);
}

// Sets the total of the steps so far. The steps of an asynchronous run do not tell what other
// workers did, so it has none.
void RunReport::total_of_failed_run() {
  if (statistics_.steps() == 0 || record_.worker_batch > 0) return;
  const auto steps = static_cast<double>(statistics_.steps());
  record_.total_seconds = statistics_.seconds();
  record_.total_images_per_second =
      static_cast<double>(record_.global_batch) * steps / record_.total_seconds;
}

// The statistics are those of this task's images, which lines of output show. In a step of the
// record are the images of all tasks.
void RunReport::extend_to_all_tasks(Speed& speed) const {
  const auto own = static_cast<double>(std::int64_t{devices_} * sizes_.batch);
  if (own == 0) return;
  const double factor = static_cast<double>(record_.global_batch) / own;
  for (double* const rate : {&speed.mean, &speed.standard_error, &speed.jitter}) *rate *= factor;
}

void RunReport::finish(int exit_status, bool interrupted, const std::string& error) {
  if (record_.memory) record_.memory->peak_resident_bytes = report::peak_resident_bytes();
  if (statistics_.steps() > 0) {
    record_.speed = statistics_.speed_of_all();
    if (record_.worker_batch == 0) extend_to_all_tasks(record_.speed);
    record_.step_times = statistics_.step_times();
  }
  record_.selected_step_seconds = selected_step_seconds();
  if (record_.total_seconds == 0) total_of_failed_run();
  record_.exit_status = exit_status;
  record_.interrupted = interrupted;
  record_.error = error;
}

}  // namespace convoy::job
