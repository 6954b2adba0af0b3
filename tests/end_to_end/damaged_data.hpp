#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

namespace convoy {

// A copy of the sample images in `folder`. The files whose names begin so have other bytes at this
// offset.
inline std::filesystem::path damaged_data(const std::filesystem::path& folder,
                                          std::string_view name, std::streamoff offset) {
  std::filesystem::copy(CONVOY_SOURCE_DIR "/share/sample_data/imagenet", folder);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (!file.path().filename().string().starts_with(name)) continue;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(offset);
    bytes << "these are not its bytes";
  }
  return folder;
}

// Their first records are damaged.
inline std::filesystem::path data_with_damaged_validation(const std::filesystem::path& folder) {
  return damaged_data(folder, "validation", 200);
}

}  // namespace convoy
