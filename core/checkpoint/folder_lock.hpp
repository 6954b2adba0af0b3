#pragma once

#include <filesystem>
#include <string>

namespace convoy::checkpoint {

// Locks a folder, so that only one process at a time writes to it. If the file system has no locks,
// as some network file systems, nothing is locked, and refusal() says so. The system releases the
// lock when the process ends, however it ends.
class FolderLock {
 public:
  // Error kUnavailable if another holder, in this process or another one, has locked the folder;
  // kFailed if the folder cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Returns why nothing is locked; empty if the folder is locked.
  const std::string& refusal() const { return refusal_; }

 private:
  int descriptor_;
  std::string refusal_;
};

}  // namespace convoy::checkpoint
