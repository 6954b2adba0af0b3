#pragma once

#include <filesystem>

namespace convoy {

// A folder that one process at a time writes to. Where the file system knows no locks, nothing is
// locked. The system gives the lock back when the process ends, however it ends.
class FolderLock {
 public:
  // Error kUnavailable when another holder has the folder, of this process or another one.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace convoy
