#pragma once

#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>

namespace convoy {

// For a child after fork(). The kernel kills the child when the forking thread ends, so that thread
// must live until it has waited for the child. If the parent process `parent` has already ended, no
// such signal comes, so the child exits at once. Allocates nothing.
inline void end_with_parent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
}

}  // namespace convoy
