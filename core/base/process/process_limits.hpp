#pragma once

#include <cstdint>
#include <string>

namespace convoy {

// Raises the limit of open files of this process to the hard limit, because the soft limit
// (`ulimit -Sn`) is often far below it. Throws Error (kUnavailable) if `more` files cannot be
// opened even so. `what`: what the files are for.
void prepare_to_open(std::uint64_t more, const std::string& what);

// Throws Error (kUnavailable) unless the system allows `more` further threads. `what`: what the
// threads are for.
void prepare_to_start(std::uint64_t more, const std::string& what);

// Returns how many of `most` threads can exist at once in this process and the processes that it
// starts. The test threads have small stacks, because the stacks of other processes do not take
// address space from this one.
std::uint64_t threads_for_processes(std::uint64_t most);

// Returns the limits that can make the system refuse a thread, in words. Signal handlers may call
// it.
const char* thread_limits();

}  // namespace convoy
