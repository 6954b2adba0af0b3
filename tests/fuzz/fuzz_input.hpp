#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace convoy::fuzz {

// The input as text.
std::string_view as_text(const std::uint8_t* data, std::size_t size);

// A file in memory, for readers that take a path. A target keeps one for all its inputs: to make a
// file takes longer than to read most of them.
class MemoryFile {
 public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void write(std::string_view bytes);
  const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
  std::string bytes_;  // what it holds
};

// A folder of such files, each at the end of a link, for readers that take a folder.
class MemoryFolder {
 public:
  // Names may have folders in them.
  explicit MemoryFolder(std::span<const std::string> names);
  ~MemoryFolder();
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void write(const std::string& name, std::string_view bytes) { files_.at(name).write(bytes); }

 private:
  std::filesystem::path path_;
  std::map<std::string, MemoryFile> files_;
};

// Runs `body`. Bad input may end in convoy::Error and in nothing else: other exceptions and
// whatever the sanitizers see ends the fuzzer.
template <typename Body>
void expect_result_or_error(const Body& body);

}  // namespace convoy::fuzz

#include "core/base/error.hpp"

template <typename Body>
void convoy::fuzz::expect_result_or_error(const Body& body) {
  try {
    body();
  } catch (const Error&) {
    return;  // refused, as it should be
  }
}
