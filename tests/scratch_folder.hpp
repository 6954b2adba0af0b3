#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

namespace convoy {

// A fresh folder in the build tree, removed when the test program ends. Every process has its own,
// because ctest runs each case as a process, several at a time.
inline std::string scratch_folder(const std::string& name) {
  struct Root {
    std::filesystem::path path =
        std::filesystem::path(CONVOY_BINARY_DIR) / "tests" / "scratch" / std::to_string(::getpid());
    Root() = default;
    Root(const Root&) = delete;
    Root& operator=(const Root&) = delete;
    ~Root() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const Root kRoot;
  const std::filesystem::path folder = kRoot.path / name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder.string();
}

}  // namespace convoy
