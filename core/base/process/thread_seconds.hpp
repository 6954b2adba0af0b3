#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace convoy {

// The times of a thread so far, in seconds, as the kernel counts them
// (/proc/PROCESS/task/THREAD/schedstat).
struct ThreadSeconds {
  double used = 0;    // running on a processor
  double waited = 0;  // ready to run while other threads had the processors
};

// Returns the times of the calling thread; zeros if the kernel does not report them.
ThreadSeconds seconds_of_this_thread();

// Returns the times of all threads of a process, by thread id. Process 0 is this process. Threads
// without data are left out.
std::map<std::string, ThreadSeconds> seconds_of_threads(pid_t process = 0);

}  // namespace convoy
