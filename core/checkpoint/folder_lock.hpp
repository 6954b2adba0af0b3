#pragma once

#include <filesystem>
#include <string>

namespace convoy::checkpoint {

// A folder that one process at a time writes to. Where the file system knows no locks, as some of
// networks, nothing is locked, and refusal() says so. The system gives the lock back when the
// process ends, however it ends.
class FolderLock {
 public:
  // Error kUnavailable when another holder has the folder, of this process or another one, kFailed
  // when the folder cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Why nothing is locked; empty when the folder is.
  const std::string& refusal() const { return refusal_; }

 private:
  int descriptor_;
  std::string refusal_;
};

}  // namespace convoy::checkpoint
