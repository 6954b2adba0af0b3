#include "core/job/training/checkpoints.hpp"

#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/version.hpp"
#include "core/job/tasks/task.hpp"
#include "core/plugin/search_path.hpp"
#include "core/runtime/state/checkpoint_tensors.hpp"
#include "core/runtime/state/foreign_weights.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::job {
namespace {

convoy_optimizer_kind optimizer_of(const runtime::Session& session) {
  return static_cast<convoy_optimizer_kind>(session.options().optimizer.kind);
}

// A path, or the name of one of the maps that come with convoy.
std::filesystem::path map_path(const std::string& map) {
  if (map.find('/') != std::string::npos || map.ends_with(".json")) return map;
  return share_directory() / "weights" / (map + ".json");
}

// Both files are found and their beginnings are right; whether they suit a model is open.
struct InitialWeights {
  explicit InitialWeights(const CheckpointOptions& options) : file(options.init_weights) {
    if (!options.weights_map.empty())
      map = runtime::read_weights_map(map_path(options.weights_map));
  }

  runtime::ModelValues values(const Graph& graph) const {
    return map ? runtime::read_foreign_weights(file, graph, *map)
               : runtime::read_model_values(file, graph);
  }

  checkpoint::SafetensorsFile file;
  std::optional<runtime::WeightsMap> map;
};

// What a run without training takes: the newest good checkpoint in train_dir, or the file of that
// name; null when there is none.
std::unique_ptr<checkpoint::SafetensorsFile> open_trained(const std::string& train_dir,
                                                          const Checkpoints::Tell& tell) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(train_dir, error))
    return checkpoint::CheckpointDirectory(train_dir, 0).open_newest(tell);
  auto file = std::make_unique<checkpoint::SafetensorsFile>(train_dir);
  checkpoint::verify_checksum(*file);
  return file;
}

}  // namespace

Checkpoints::Checkpoints(const Setup& setup, std::int64_t global_batch, Tell tell)
    : setup_(setup),
      options_(setup.options.checkpoints),
      global_batch_(global_batch),
      tell_(std::move(tell)) {
  tell_what_saves_nothing();
  if (!options_.train_dir.empty()) open_newest();
  if (!newest_) check_initial_weights();
}

void Checkpoints::open_newest() {
  if (is_chiefs()) {
    directory_.emplace(options_.train_dir, options_.keep);
    // A limit on the size of files shall be an error of writing, not the end of the process.
    std::signal(SIGXFSZ, SIG_IGN);
    prepare();
    newest_ = why_nothing_is_saved() != nullptr ? open_trained(options_.train_dir, tell_)
                                                : directory_->open_newest(tell_);
  }
  if (setup_.task != nullptr) find_newest();
  if (!newest_) return;
  found_ = runtime::read_facts(*newest_);
  saved_step_ = found_->step;
}

// Null where something is.
const char* Checkpoints::why_nothing_is_saved() const {
  if (setup_.options.evaluation.mode() == RunMode::kForwardOnly)
    return "--forward_only saves nothing";
  return options_.train_dir.empty() ? "without --train_dir no checkpoint is saved" : nullptr;
}

void Checkpoints::tell_what_saves_nothing() const {
  const char* const why = why_nothing_is_saved();
  const bool asked = options_.every_steps || options_.every_seconds;
  if (why != nullptr && asked && is_chiefs())
    tell_(fmt::format("--save_model_{}: without effect, because {}",
                      options_.every_steps ? "steps" : "secs", why));
}

// Whether the folder is this task's.
bool Checkpoints::is_chiefs() const {
  return setup_.task == nullptr || setup_.task->is_chief();
}

// All tasks go on from the same one.
void Checkpoints::find_newest() {
  const std::string path = setup_.task->from_chief(
      "checkpoint", newest_ ? std::filesystem::absolute(newest_->path()).string() : "");
  if (newest_ || path.empty()) return;
  try {
    newest_ = std::make_unique<checkpoint::SafetensorsFile>(path);
    checkpoint::verify_checksum(*newest_);
  } catch (const Error& error) {
    fail(error.code(),
         "worker 0 continues from {}, which this task cannot read ({}): --train_dir must lie on a "
         "file system that all tasks see",
         path, error.what());
  }
}

void Checkpoints::prepare() {
  if (why_nothing_is_saved() != nullptr) return;
  try {
    directory_->prepare(tell_);
  } catch (const Error& error) {
    const bool is_in_use = error.code() == ExitCode::kUnavailable;
    if (!options_.continue_on_error || is_in_use) throw;
    tell_(
        fmt::format("{}; training continues without it (--on_save_error=continue)", error.what()));
  }
}

std::int64_t Checkpoints::sample_offset() const {
  return found_ ? found_->samples - found_->step * global_batch_ : 0;
}

void Checkpoints::restore(runtime::Session& session) {
  if (!newest_) return use_initial_weights(session);
  if (session.forward_only()) {
    session.write_values(runtime::read_model_values(*newest_, session.graph()));
  } else {
    const runtime::Restoration restoration = runtime::read_restoration(*newest_, *found_, session);
    for (const std::string& notice : restoration.notices) tell_(notice);
    runtime::write_training_state(session, restoration.state, found_->step);
  }
  if (found_->seed != setup_.options.seed)
    tell_(
        fmt::format("the checkpoint was trained with seed {}, this run has {}: dropout and the "
                    "order of the data differ from here on",
                    found_->seed, setup_.options.seed));
  tell_(fmt::format("restored {}: step {}, {} samples", newest_->path().string(), found_->step,
                    found_->samples));
  newest_.reset();
}

// Before the devices, the plan and the data cost time.
void Checkpoints::check_initial_weights() const {
  if (!options_.init_weights.empty()) const InitialWeights found(options_);
}

void Checkpoints::use_initial_weights(runtime::Session& session) const {
  if (options_.init_weights.empty()) return;
  runtime::ModelValues values = InitialWeights(options_).values(session.graph());
  if (session.forward_only()) return session.write_values(values);
  runtime::TrainingState state;
  state.values = std::move(values);
  state.loss_scale = session.loss_scale();
  runtime::write_training_state(session, state, 0);
}

// A multiple of the interval lies behind the last step that was asked for.
bool Checkpoints::passes_multiple(const runtime::PausePoint& point) const {
  return options_.every_steps && point.timed_step > 0 &&
         point.timed_step / *options_.every_steps > asked_ / *options_.every_steps;
}

// By this task's clock.
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

void Checkpoints::finish(const runtime::TrainingSummary& summary, runtime::Session& session) {
  if (why_nothing_is_saved() != nullptr) return;
  if (chiefs_answer(setup_.task, "save at the end", saved_step_ != summary.global_step))
    save(summary.global_step, session, "the end");
}

bool Checkpoints::save(std::int64_t step, runtime::Session& session, const std::string& round) {
  bool saved = false;
  try {
    saved = write(step, session);
  } catch (const Error& error) {
    if (!options_.continue_on_error)
      fail(error.code(), "{} (--on_save_error=continue trains on without it)", error.what());
    tell_(fmt::format("step {} is not saved: {}", step, error.what()));
  }
  // The others would begin a step and wait in its collectives, which have a time limit.
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
  directory_->save(
      step, runtime::to_metadata(facts),
      runtime::checkpoint_tensors(session.graph(), optimizer_of(session), std::move(state)));
  saved_step_ = step;
  return true;
}

// It would take the place of the newest one that training can go on from. What has diverged stays
// so: that is said once.
void Checkpoints::refuse_diverged(std::int64_t step) {
  if (std::exchange(has_diverged_, true) || !is_chiefs()) return;
  tell_(
      fmt::format("step {} and later steps are not saved: the training has diverged, its "
                  "parameters are not finite; earlier checkpoints stay",
                  step));
}

std::optional<TrainedModel> find_trained_model(const CheckpointOptions& options, const Graph& graph,
                                               const Checkpoints::Tell& tell) {
  if (!options.init_weights.empty()) {
    const InitialWeights weights(options);
    return TrainedModel{weights.file.path().filename().string(), weights.file.path().string(), 0,
                        weights.values(graph)};
  }
  const std::unique_ptr<checkpoint::SafetensorsFile> file = open_trained(options.train_dir, tell);
  if (!file) return std::nullopt;
  return TrainedModel{file->path().filename().string(), file->path().string(),
                      runtime::read_facts(*file).step, runtime::read_model_values(*file, graph)};
}

}  // namespace convoy::job
