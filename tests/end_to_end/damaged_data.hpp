#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace convoy {

// A copy of the sample images in `folder` whose validation files have other bytes in their first
// records.
inline std::filesystem::path data_with_damaged_validation(const std::filesystem::path& folder) {
  std::filesystem::copy(CONVOY_SOURCE_DIR "/share/sample_data/imagenet", folder);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (!file.path().filename().string().starts_with("validation")) continue;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(200);
    bytes << "these are not its bytes";
  }
  return folder;
}

}  // namespace convoy
