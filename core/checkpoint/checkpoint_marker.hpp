#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convoy::checkpoint {

// The file "checkpoint" in a folder of checkpoints. It lists the complete ones, newest first.
inline constexpr const char* kCheckpointMarker = "checkpoint";

// Returns "model-<step>.safetensors".
std::string checkpoint_name(std::int64_t step);
// Returns the step in such a name; empty for any other name, and for a path.
std::optional<std::int64_t> checkpoint_step(const std::string& name);

// The content of the marker, as file names.
struct CheckpointMarker {
  std::vector<std::string> newest_first;  // complete checkpoints
  std::vector<std::string> leaving;       // to be deleted, if they still exist
};

// Returns nothing if there is no marker, or if it cannot be read because it is incomplete or not
// convoy's.
std::optional<CheckpointMarker> read_checkpoint_marker(const std::filesystem::path& folder);

void write_checkpoint_marker(const std::filesystem::path& folder, const CheckpointMarker& marker);

}  // namespace convoy::checkpoint
