#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace convoy::checkpoint {

// The file "checkpoint" in a folder of checkpoints: which of them are complete, newest first.
inline constexpr const char* kCheckpointMarker = "checkpoint";

// "model-<step>.safetensors".
std::string checkpoint_name(std::int64_t step);
// The step in such a name; nothing for any other name, a path included.
std::optional<std::int64_t> checkpoint_step(const std::string& name);

// What the marker says, as file names.
struct CheckpointMarker {
  std::vector<std::string> newest_first;  // the complete ones
  std::vector<std::string> leaving;       // to be removed, if they still exist
};

// Nothing when there is no marker or it cannot be understood: it was torn, or is not convoy's.
std::optional<CheckpointMarker> read_checkpoint_marker(const std::filesystem::path& folder);

void write_checkpoint_marker(const std::filesystem::path& folder, const CheckpointMarker& marker);

}  // namespace convoy::checkpoint
