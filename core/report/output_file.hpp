#pragma once

#include <filesystem>
#include <string_view>

namespace convoy {

// Replaces the file as a whole: written beside it under a temporary name, then renamed, so a reader
// never sees half a file and an interrupted run leaves the previous one. Fails with kUnavailable,
// naming the path and the system's reason.
void write_whole_file(const std::filesystem::path& path, std::string_view content);

// Fails like write_whole_file would, without touching an existing file: called before a long run,
// so that a mistyped folder costs seconds rather than the results.
void check_writable(const std::filesystem::path& path);

}  // namespace convoy
