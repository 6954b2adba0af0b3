#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace convoy {

// Returns the paths of what a folder contains, sorted. It does not throw, unlike a range-for over
// std::filesystem::directory_iterator. `error` says why the folder, or the rest of it, could not be
// read.
std::vector<std::filesystem::path> folder_entries(const std::filesystem::path& folder,
                                                  std::error_code& error);

}  // namespace convoy
