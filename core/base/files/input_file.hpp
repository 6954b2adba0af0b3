#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

namespace convoy {

// What a file holds, or why it was not read.
struct InputFile {
  std::string bytes;
  std::string problem;  // as part of a sentence ("it is a folder"); empty: it was read
};

// More than a text that people or programs write for convoy ever has.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

// For the next piece of a pipe: longer than a program takes to start that writes a text.
inline constexpr std::chrono::milliseconds kInputPatience{10'000};

// Reads a whole file, or a pipe until its end; of what has no end, such as a device, no more than
// `most` bytes. A pipe from which nothing comes for so long is not read: a named one may never have
// a writer. The wait ends with a signal.
InputFile read_input_file(const std::filesystem::path& path, std::size_t most = kMostTextBytes,
                          std::chrono::milliseconds patience = kInputPatience);

}  // namespace convoy
