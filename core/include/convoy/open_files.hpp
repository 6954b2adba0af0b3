// Checks how many files and sockets the process may open, for plug-ins that open one per peer. They
// check first, because libraries that fail to open one later often report another cause.
#ifndef CONVOY_OPEN_FILES_HPP
#define CONVOY_OPEN_FILES_HPP

#include <dirent.h>
#include <sys/resource.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace convoy {

struct OpenFiles {
  uint64_t open = 0;  // now; 0 if the system does not show it
  uint64_t most = 0;  // `ulimit -n`
};

inline OpenFiles open_files() {
  OpenFiles files;
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  files.most = known ? limit.rlim_cur : std::numeric_limits<uint64_t>::max();
  if (DIR* const folder = ::opendir("/proc/self/fd"); folder != nullptr) {
    while (const dirent* const entry = ::readdir(folder))
      if (entry->d_name[0] != '.') ++files.open;
    ::closedir(folder);
    --files.open;  // the folder
  }
  return files;
}

// Throws std::runtime_error unless `more` can be opened. The text begins with `what`, which needs
// them: "connections to 9 peers".
inline void require_open_files(uint64_t more, const std::string& what) {
  const OpenFiles files = open_files();
  if (files.open < files.most && more <= files.most - files.open) return;
  throw std::runtime_error(what + " need some " + std::to_string(more) + " open files beyond the " +
                           std::to_string(files.open) + " that there are, and `ulimit -n` allows " +
                           std::to_string(files.most) + " in all: raise it");
}

}  // namespace convoy

#endif
