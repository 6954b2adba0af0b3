#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

namespace convoy {

// Puts the content at the path in one step: readers see the old file or the whole new one. What a
// link leads to is written, not the link. A pipe or a device is written as it stands, if somebody
// reads it, and does not stand still for longer than the patience. Error(kFailed) naming the path
// and the reason.
void write_output_file(const std::filesystem::path& path, std::string_view content,
                       std::chrono::milliseconds patience = std::chrono::minutes(1));

// Error(kUsage) when nothing can be made at a relative path, because the working folder was
// deleted.
void check_working_folder(const std::filesystem::path& path);

// Error(kUsage) when the path's folder does not exist or cannot be written, or the path is nothing
// that can be written: to be found out before a long run, not after it.
void check_output_file(const std::filesystem::path& path);

}  // namespace convoy
