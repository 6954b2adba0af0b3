#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace convoy {

// Puts the content at the path in one step, so that readers see either the old file or the whole
// new one. If the path is a link, its target is written and the link stays. A pipe or a device is
// written in place; it must have a reader and must not block for longer than `patience`.
// Error(kFailed) names the path and the reason.
void write_output_file(const std::filesystem::path& path, std::string_view content,
                       std::chrono::milliseconds patience = std::chrono::minutes(1));

// Error(kUsage) if the path is relative and the working folder was deleted, so that nothing can be
// created there.
void check_working_folder(const std::filesystem::path& path);

// Error(kUsage) if the path's folder does not exist or cannot be written, or if the path itself
// cannot be written. It finds the problem before a long run, not after it.
void check_output_file(const std::filesystem::path& path);

// A file that a flag names.
struct FileOfFlag {
  const char* flag;  // without dashes
  std::string file;  // empty: not given
  bool is_read = false;
};
// Error(kUsage) if two flags write one file, or one writes the file that another reads. Paths may
// differ in spelling.
void require_different_files(std::span<const FileOfFlag> files);

}  // namespace convoy
