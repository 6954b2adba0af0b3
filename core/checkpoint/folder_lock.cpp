#include "core/checkpoint/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/error.hpp"

namespace convoy::checkpoint {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    fail(ExitCode::kFailed, "cannot open the folder {} for checkpoints: {}", folder.string(),
         std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) {
    refusal_ = std::strerror(errno);
    return;
  }
  ::close(descriptor_);
  fail(ExitCode::kUnavailable,
       "another run saves its checkpoints in {}: wait until it ends, or choose another --train_dir",
       folder.string());
}

FolderLock::~FolderLock() {
  ::close(descriptor_);
}

}  // namespace convoy::checkpoint
