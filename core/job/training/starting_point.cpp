#include "core/job/training/starting_point.hpp"

#include <fmt/format.h>

#include <csignal>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/runtime/state/checkpoint_tensors.hpp"

namespace convoy::job {
namespace {

void prepare(checkpoint::CheckpointDirectory& directory, bool continue_on_error,
             const StartingPoint::Tell& tell) {
  try {
    directory.prepare(tell);
  } catch (const Error& error) {
    const bool is_in_use = error.code() == ExitCode::kUnavailable;
    if (!continue_on_error || is_in_use) throw;
    tell(fmt::format("{}; training continues without it (--on_save_error=continue)", error.what()));
  }
}

}  // namespace

std::unique_ptr<checkpoint::SafetensorsFile> open_trained(const std::string& train_dir,
                                                          const StartingPoint::Tell& tell) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(train_dir, error))
    return checkpoint::CheckpointDirectory(train_dir, 0).open_newest(tell);
  auto file = std::make_unique<checkpoint::SafetensorsFile>(train_dir);
  checkpoint::verify_checksum(*file);
  return file;
}

StartingPoint find_starting_point(const JobOptions& options, const graph::Graph& graph,
                                  const StartingPoint::Tell& tell) {
  StartingPoint start;
  const CheckpointOptions& wanted = options.checkpoints;
  if (wanted.train_dir.empty()) return start;
  start.directory.emplace(wanted.train_dir, wanted.keep);
  // A limit on the size of files must lead to a write error, not to the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  if (options.evaluation.mode() == RunMode::kForwardOnly) {  // such a run saves nothing
    start.newest = open_trained(wanted.train_dir, tell);
  } else {
    prepare(*start.directory, wanted.continue_on_error, tell);
    start.newest = start.directory->open_newest(tell);
  }
  if (!start.newest) return start;
  start.facts = runtime::read_facts(*start.newest);
  runtime::require_fit(*start.newest, graph);
  return start;
}

}  // namespace convoy::job
