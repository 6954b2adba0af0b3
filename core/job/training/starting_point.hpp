#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/checkpoint/checkpoint_directory.hpp"
#include "core/graph/graph.hpp"
#include "core/job/options.hpp"
#include "core/runtime/state/checkpoint_facts.hpp"

namespace convoy::job {

// The contents of --train_dir that a run needs.
struct StartingPoint {
  using Tell = std::function<void(const std::string&)>;

  // Unset without --train_dir. While it exists, no other run saves in that folder.
  std::optional<checkpoint::CheckpointDirectory> directory;
  // Null if there is none. Then the run begins with --init_weights, if that is given.
  std::unique_ptr<checkpoint::SafetensorsFile> newest;
  std::optional<runtime::CheckpointFacts> facts;  // facts about `newest`
};

// Returns the newest good checkpoint in train_dir, or the file of that name; null if there is none.
std::unique_ptr<checkpoint::SafetensorsFile> open_trained(const std::string& train_dir,
                                                          const StartingPoint::Tell& tell);

// Prepares the folder for a run that saves in it, and finds the newest good checkpoint. Error
// kFailed if the folder cannot be used and --on_save_error is stop, if all checkpoints in it are
// damaged or if the newest is for another model; kUnavailable if another run saves there.
StartingPoint find_starting_point(const JobOptions& options, const graph::Graph& graph,
                                  const StartingPoint::Tell& tell);

}  // namespace convoy::job
