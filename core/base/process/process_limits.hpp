#pragma once

#include <cstdint>
#include <string>

namespace convoy {

// Raises the number of files that this process may have open as far as the system lets it: the soft
// limit (`ulimit -Sn`) is often far below the hard one. Throws Error (kUnavailable) if `more`
// cannot be opened even so. `what`: for which they are.
void prepare_to_open(std::uint64_t more, const std::string& what);

// Throws Error (kUnavailable) unless the system gives `more` threads. `what`: whose they are to be.
void prepare_to_start(std::uint64_t more, const std::string& what);

// How many of `most` threads the system gives this process and those that it starts, all at once.
// Their stacks are small: processes have their stacks in addresses of their own.
std::uint64_t threads_for_processes(std::uint64_t most);

// What may be behind a thread that the system refuses, in words. For signal handlers, too.
const char* thread_limits();

}  // namespace convoy
