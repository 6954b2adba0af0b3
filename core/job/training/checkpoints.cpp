#include "core/job/training/checkpoints.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/base/version.hpp"
#include "core/checkpoint/durable_file.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/training/initial_weights.hpp"
#include "core/job/without_effect.hpp"
#include "core/runtime/state/checkpoint_tensors.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

convoy_optimizer_kind optimizer_of(const runtime::Session& session) {
  return static_cast<convoy_optimizer_kind>(session.options().optimizer.kind);
}

}  // namespace

Checkpoints::Checkpoints(const Setup& setup, StartingPoint* known, std::int64_t global_batch,
                         Tell tell)
    : setup_(setup),
      options_(setup.options.checkpoints),
      global_batch_(global_batch),
      tell_(std::move(tell)) {
  tell_what_saves_nothing();
  if (!options_.train_dir.empty()) open_newest(known);
  if (known == nullptr && !start_.newest) check_initial_weights();
}

void Checkpoints::open_newest(StartingPoint* known) {
  if (known != nullptr)
    start_ = std::move(*known);
  else if (is_chiefs())
    start_ = find_starting_point(setup_.options, *setup_.graph, tell_);
  if (setup_.task != nullptr) find_newest();
  if (setup_.task != nullptr && !start_.newest) require_common_folder();
  if (start_.facts) tried_step_ = start_.facts->step;
}

// Returns null if something is saved.
const char* Checkpoints::why_nothing_is_saved() const {
  if (setup_.options.evaluation.mode() == RunMode::kForwardOnly)
    return "--forward_only saves nothing";
  return options_.train_dir.empty() ? "without --train_dir no checkpoint is saved" : nullptr;
}

void Checkpoints::tell_what_saves_nothing() const {
  const char* const why = why_nothing_is_saved();
  if (why == nullptr || !is_chiefs()) return;
  const std::string notice =
      without_effect({{"save_model_steps", options_.every_steps.has_value()},
                      {"save_model_secs", options_.every_seconds.has_value()},
                      {"max_ckpts_to_keep", options_.keep != CheckpointOptions().keep},
                      {"on_save_error", options_.continue_on_error}},
                     why);
  if (!notice.empty()) tell_(notice);
}

// Returns whether the folder belongs to this task.
bool Checkpoints::is_chiefs() const {
  return setup_.task == nullptr || setup_.task->is_chief();
}

// All tasks continue from the same checkpoint.
void Checkpoints::find_newest() {
  const std::string path = setup_.task->from_chief(
      "checkpoint", start_.newest ? std::filesystem::absolute(start_.newest->path()).string() : "");
  if (start_.newest || path.empty()) return;
  try {
    start_.newest = std::make_unique<checkpoint::SafetensorsFile>(path);
    checkpoint::verify_checksum(*start_.newest);
  } catch (const Error& error) {
    fail(error.code(),
         "worker 0 continues from {}, which this task cannot read ({}): --train_dir must lie on a "
         "file system that all tasks see",
         path, error.what());
  }
  start_.facts = runtime::read_facts(*start_.newest);
}

// After a restart, all tasks read the chief's checkpoint. Its folder has a file for a moment, which
// the others must find. Without --restarts they need not see the folder yet.
void Checkpoints::require_common_folder() const {
  std::optional<checkpoint::DurableFile> mark;
  std::string path;
  if (is_chiefs() && setup_.options.task.restarts > 0) {
    try {
      mark.emplace(std::filesystem::absolute(options_.train_dir) / "seen_by_all");
      path = mark->temporary().string();
    } catch (const Error& error) {  // nothing can be saved there, which --on_save_error may allow
      tell_(fmt::format("it is not known whether all tasks see --train_dir: {}", error.what()));
    }
  }
  path = setup_.task->from_chief("folder", path);
  if (path.empty()) return;
  std::error_code error;
  const std::vector<std::string> seen =
      setup_.task->exchange("folder seen", std::filesystem::exists(path, error) ? "yes" : "");
  for (std::uint32_t rank = 0; rank < seen.size(); ++rank)
    if (seen[rank].empty())
      fail(ExitCode::kUsage,
           "--restarts with --train_dir={}: {} does not see that folder of worker 0, from which it "
           "would continue; give a folder on a file system that all tasks see",
           options_.train_dir, setup_.task->name_of(rank));
}

std::int64_t Checkpoints::sample_offset() const {
  return start_.facts ? start_.facts->samples - start_.facts->step * global_batch_ : 0;
}

// One host would need the memory for what all hosts keep.
void Checkpoints::tell_what_is_left_out(const runtime::Session& session) const {
  if (setup_.task == nullptr || !is_chiefs() || why_nothing_is_saved() != nullptr) return;
  if (!runtime::keeps_parts(session)) return;
  tell_(
      fmt::format("checkpoints of several hosts hold the model and the optimizer's state, but not "
                  "what strategy {} keeps between steps besides them (residuals, gradients that "
                  "wait, parameters of single replicas): a run that continues from one differs "
                  "from an uninterrupted run",
                  session.plan()->strategy->manifest().name));
}

void Checkpoints::restore(runtime::Session& session) {
  tell_what_is_left_out(session);
  if (!start_.newest) return use_initial_weights(session);
  if (session.forward_only()) {
    session.values().write_model(runtime::read_model_values(*start_.newest, session.graph()));
  } else {
    const runtime::Restoration restoration =
        runtime::read_restoration(*start_.newest, *start_.facts, session);
    for (const std::string& notice : restoration.notices) tell_(notice);
    runtime::write_training_state(session, restoration.state, start_.facts->step);
  }
  if (start_.facts->seed != setup_.options.seed)
    tell_(
        fmt::format("the checkpoint was trained with seed {}, this run has {}: dropout and the "
                    "order of the data differ from here on",
                    start_.facts->seed, setup_.options.seed));
  tell_(fmt::format("restored {}: step {}, {} samples", start_.newest->path().string(),
                    start_.facts->step, start_.facts->samples));
  start_.newest.reset();
}

// Checked before the devices, the plan and the data cost time.
void Checkpoints::check_initial_weights() const {
  if (!options_.init_weights.empty()) const InitialWeights found(options_, *setup_.graph);
}

void Checkpoints::use_initial_weights(runtime::Session& session) const {
  if (options_.init_weights.empty()) return;
  const graph::Graph& graph = session.graph();
  runtime::ModelValues values = InitialWeights(options_, graph).values(graph);
  if (session.forward_only()) return session.values().write_model(values);
  runtime::TrainingState state;
  state.values = std::move(values);
  state.loss_scale = session.values().loss_scale();
  runtime::write_training_state(session, state, 0);
}

// Returns whether this step has passed a multiple of the interval since the last call of due().
bool Checkpoints::passes_multiple(const runtime::PausePoint& point) const {
  return options_.every_steps && point.timed_step > 0 &&
         point.timed_step / *options_.every_steps > asked_ / *options_.every_steps;
}

// Returns whether the interval has passed by this task's clock.
bool Checkpoints::passes_seconds() const {
  const auto passed = std::chrono::steady_clock::now() - last_save_;
  return options_.every_seconds && passed >= std::chrono::seconds(*options_.every_seconds);
}

bool Checkpoints::wants(const runtime::PausePoint& point) const {
  return why_nothing_is_saved() == nullptr && (passes_multiple(point) || passes_seconds());
}

bool Checkpoints::due(const runtime::PausePoint& point) {
  if (const char* const why = why_nothing_is_saved()) {
    if (point.save_asked) tell_(fmt::format("SIGUSR1 asks for a checkpoint: {}", why));
    return false;
  }
  pending_ = passes_multiple(point);
  asked_ = point.timed_step;
  if (options_.every_seconds)
    pending_ = chiefs_answer(setup_.task, fmt::format("save after {}", point.global_step),
                             passes_seconds());
  return pending_ = pending_ || point.save_asked;
}

bool Checkpoints::pause(const runtime::PausePoint& point, runtime::Session& session) {
  if (!pending_) return false;
  pending_ = false;
  return save(point.global_step, session, fmt::format("step {}", point.global_step));
}

void Checkpoints::finish(std::int64_t global_step, runtime::Session& session) {
  if (why_nothing_is_saved() != nullptr) return;
  if (chiefs_answer(setup_.task, "save at the end", tried_step_ != global_step))
    save(global_step, session, "the end");
}

bool Checkpoints::save(std::int64_t step, runtime::Session& session, const std::string& round) {
  bool saved = false;
  tried_step_ = step;
  if (setup_.task != nullptr) setup_.task->pauses();
  try {
    saved = write(step, session);
  } catch (const Error& error) {
    if (!options_.continue_on_error)
      fail(error.code(), "{} (--on_save_error=continue trains on without it)", error.what());
    tell_(fmt::format("step {} is not saved: {}", step, error.what()));
  }
  // Without this wait, the other tasks would begin a step and wait in its collectives, which have a
  // time limit.
  if (setup_.task != nullptr)
    static_cast<void>(setup_.task->from_chief(fmt::format("saved at {}", round), ""));
  last_save_ = std::chrono::steady_clock::now();
  return saved;
}

bool Checkpoints::write(std::int64_t step, runtime::Session& session) {
  runtime::TrainingState state = runtime::read_training_state(session);
  if (!runtime::are_finite(state.values)) {
    refuse_diverged(step);
    return false;
  }
  if (!is_chiefs()) return true;
  runtime::CheckpointFacts facts;
  facts.step = step;
  facts.samples = step * global_batch_ + sample_offset();
  facts.seed = setup_.options.seed;
  facts.model = session.graph().model();
  facts.strategy = session.plan()->strategy->manifest().name;
  facts.optimizer = train::optimizer_name(optimizer_of(session));
  facts.updates = state.updates;
  facts.identity = runtime::identity_of(session);
  facts.phase = state.phase;
  facts.complete = state.complete;
  facts.loss_scale = state.loss_scale;
  facts.loss_scale_adapts = session.options().guard.automatic_loss_scale;
  facts.flags = json_text(nlohmann::json(setup_.options.settings));
  facts.convoy_version = kVersion;
  start_.directory->save(
      step, runtime::to_metadata(facts),
      runtime::checkpoint_tensors(session.graph(), optimizer_of(session), std::move(state)));
  return true;
}

// The checkpoint would replace the newest one from which training can continue. A training that has
// diverged stays so, so this is said once.
void Checkpoints::refuse_diverged(std::int64_t step) {
  if (std::exchange(has_diverged_, true) || !is_chiefs()) return;
  tell_(
      fmt::format("step {} and later steps are not saved: the training has diverged, its "
                  "parameters are not finite; earlier checkpoints stay",
                  step));
}

std::optional<TrainedModel> find_trained_model(const CheckpointOptions& options,
                                               const graph::Graph& graph,
                                               const Checkpoints::Tell& tell) {
  if (!options.init_weights.empty()) {
    const InitialWeights weights(options, graph);
    const std::filesystem::path& path = weights.file().path();
    return TrainedModel{path.filename().string(), path.string(), 0, weights.values(graph)};
  }
  const std::unique_ptr<checkpoint::SafetensorsFile> file = open_trained(options.train_dir, tell);
  if (!file) return std::nullopt;
  return TrainedModel{file->path().filename().string(), file->path().string(),
                      runtime::read_facts(*file).step, runtime::read_model_values(*file, graph)};
}

}  // namespace convoy::job
