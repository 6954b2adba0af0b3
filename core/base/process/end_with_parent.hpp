#pragma once

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace convoy {

// For a child after fork(): the kernel kills it when the thread that forked it ends, which must be
// there until the child is waited for. Ends it at once where its process, `parent`, has ended
// before, of which no signal comes. Allocates nothing.
inline void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
}

}  // namespace convoy
