#pragma once

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace convoy::ended_parent {

inline pid_t parent = 0;

inline void end_at_once() {
  if (parent != 0) ::_exit(0);
}

// Called in a child between its fork and all that it does itself.
inline void await_end_of_parent() {
  while (parent != 0 && ::getppid() == parent) ::usleep(1000);
}

// Calls `start` in a process that ends as soon as it has forked, before its child does anything.
// Returns when both have ended.
template <typename Start>
void start_from(const Start& start) {
  std::array<int, 2> alive{};
  if (::pipe(alive.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t process = ::fork();
  if (process == 0) {
    std::signal(SIGPIPE, SIG_IGN);  // nobody reads what the child prints
    parent = ::getpid();
    if (::pthread_atfork(nullptr, end_at_once, await_end_of_parent) == 0) start();
    ::_exit(0);
  }
  ::close(alive[1]);  // process and child have the other copies
  ::waitpid(process, nullptr, 0);
  char byte = 0;
  while (::read(alive[0], &byte, 1) < 0 && errno == EINTR) continue;
  ::close(alive[0]);
}

}  // namespace convoy::ended_parent
