#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

namespace convoy {

// The content of a file, or the reason why it was not read.
struct InputFile {
  std::string bytes;
  std::string problem;  // as part of a sentence ("it is a folder"); empty: it was read
};

// Larger than any text that people or programs write for convoy.
inline constexpr std::size_t kMostTextBytes = std::size_t{64} << 20;

// How long to wait for the next piece of a pipe: longer than a program that writes a text takes to
// start.
inline constexpr std::chrono::milliseconds kInputPatience{10'000};

// Reads a whole file, or a pipe until its end. A source with more than `most` bytes is refused. So
// is a pipe that delivers nothing for `patience`, because a named pipe may never have a writer. A
// signal ends the wait.
InputFile read_input_file(const std::filesystem::path& path, std::size_t most = kMostTextBytes,
                          std::chrono::milliseconds patience = kInputPatience);

}  // namespace convoy
