#pragma once

#include <sys/types.h>

#include <cstdint>

namespace convoy::shm {

// Reads memory of another process of this user, with process_vm_readv. Returns 0 or errno.
int pull(pid_t process, void* to, std::uint64_t from, std::uint64_t bytes);

// Whether the system lets processes of a user read each other's memory, as far as this is known:
// Yama may restrict it to parents.
bool tasks_may_pull();

// A random word in a task's memory. Its peers read it to find out whether they may read that
// memory.
struct Probe {
  std::uint64_t address = 0;
  std::uint64_t value = 0;
};
bool can_pull(pid_t process, const Probe& probe);

}  // namespace convoy::shm
