#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/job/setup.hpp"
#include "core/job/training/evaluations.hpp"
#include "core/job/training/starting_point.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::job {

// The checkpoints of one training run: from which one it continues, when it saves, and what happens
// if it cannot. Without --train_dir nothing is saved, but weights from elsewhere may be used.
// Parameters that are not finite are never saved; runs that only measure speed may reach them. On
// several hosts, the chief manages the folder. All tasks continue from the checkpoint that the
// chief found, which all must be able to read, and take part when it saves the parameters.
class Checkpoints {
 public:
  using Tell = StartingPoint::Tell;

  // Takes over `known`, which open_starting_point() has found for this run; null: the constructor
  // looks for it. Error as that function.
  Checkpoints(const Setup& setup, StartingPoint* known, std::int64_t global_batch, Tell tell);

  std::int64_t first_step() const { return start_.facts ? start_.facts->step : 0; }
  // Returns the number of training images that earlier runs have taken.
  std::int64_t samples() const { return start_.facts ? start_.facts->samples : 0; }
  // Returns the offset that a data source adds to step * global batch; see DataOptions.
  std::int64_t sample_offset() const;

  // Called before the first step. Restores the checkpoint, or --init_weights if there is none.
  // Error kFailed if the checkpoint is for another model, listing how its tensors differ.
  void restore(runtime::Session& session);

  // Returns whether the chief wants a checkpoint by this step. This is for workers that do not wait
  // for each other: they pause some steps after the request.
  bool wants(const runtime::PausePoint& point) const;
  // Returns whether training pauses after this step to save.
  bool due(const runtime::PausePoint& point);
  // Saves if due() asked for this pause, and returns whether it did. Error kFailed if it cannot
  // save and --on_save_error is stop.
  bool pause(const runtime::PausePoint& point, runtime::Session& session);
  // Saves a checkpoint after the last step, unless there is one.
  void finish(std::int64_t global_step, runtime::Session& session);

 private:
  bool is_chiefs() const;
  const char* why_nothing_is_saved() const;
  void tell_what_saves_nothing() const;
  void open_newest(StartingPoint* known);
  void find_newest();
  void require_common_folder() const;
  void check_initial_weights() const;
  bool passes_multiple(const runtime::PausePoint& point) const;
  bool passes_seconds() const;
  void use_initial_weights(runtime::Session& session) const;
  void tell_what_is_left_out(const runtime::Session& session) const;
  bool save(std::int64_t step, runtime::Session& session, const std::string& round);
  // Returns whether there was anything to save.
  bool write(std::int64_t step, runtime::Session& session);
  void refuse_diverged(std::int64_t step);

  const Setup& setup_;
  const CheckpointOptions& options_;
  std::int64_t global_batch_;
  Tell tell_;
  StartingPoint start_;
  std::optional<std::int64_t> tried_step_;  // the last step that was saved or could not be saved
  bool pending_ = false;
  std::int64_t asked_ = 0;  // the last timed step for which due() was called
  bool has_diverged_ = false;
  std::chrono::steady_clock::time_point last_save_ = std::chrono::steady_clock::now();
};

// Returns the newest good checkpoint in train_dir, or the file that train_dir names; with
// init_weights, those weights as of step 0. Empty if there is none. Error kFailed if it is for
// another model.
std::optional<TrainedModel> find_trained_model(const CheckpointOptions& options,
                                               const graph::Graph& graph,
                                               const Checkpoints::Tell& tell);

}  // namespace convoy::job
