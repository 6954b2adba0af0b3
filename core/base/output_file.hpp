#pragma once

#include <filesystem>
#include <string_view>

namespace convoy {

// Puts the content at the path in one step: readers see the old file or the whole new one.
// Error(kFailed) naming the path and the reason.
void write_output_file(const std::filesystem::path& path, std::string_view content);

// Error(kUsage) when the path's folder does not exist or cannot be written: to be found out before
// a long run, not after it.
void check_output_file(const std::filesystem::path& path);

}  // namespace convoy
