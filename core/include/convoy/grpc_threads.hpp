// The number of threads that gRPC (1.51) starts in a process. If the system refuses one, gRPC waits
// for ever: for the work of that thread, or for the thread at shutdown. So code that starts gRPC
// first checks that these can be started (convoy/threads.hpp), and some more for timers, name
// resolution and itself.
#ifndef CONVOY_GRPC_THREADS_HPP
#define CONVOY_GRPC_THREADS_HPP

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace convoy {

// The cores that gRPC counts, including those that this process may not run on.
inline uint64_t grpc_cores() {
  return static_cast<uint64_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L));
}

// Threads that run callbacks.
inline uint64_t grpc_runners() {
  return std::clamp<uint64_t>(grpc_cores(), 2, 16);
}

// Threads that poll for events of all servers and clients.
inline uint64_t grpc_pollers() {
  return std::clamp<uint64_t>(grpc_cores() / 2, 2, 16);
}

}  // namespace convoy

#endif
