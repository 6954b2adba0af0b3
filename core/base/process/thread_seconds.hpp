#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace convoy {

// Seconds of a thread so far, as the kernel counts them (/proc/PROCESS/task/THREAD/schedstat).
struct ThreadSeconds {
  double used = 0;    // on a processor
  double waited = 0;  // ready to compute, while others had the processors
};

// Of the thread that calls; zeros where the system does not say.
ThreadSeconds seconds_of_this_thread();

// Of all threads of a process, by their numbers; 0: of this process. Threads of which the system
// does not say it are left out.
std::map<std::string, ThreadSeconds> seconds_of_threads(pid_t process = 0);

}  // namespace convoy
