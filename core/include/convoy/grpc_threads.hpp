// How many threads gRPC (1.51) starts in a process, whoever uses it there. Where gRPC gets no
// thread, it waits for ever for what that thread would do, or for the thread when it shuts down;
// so whoever starts it asks for these first (convoy/threads.hpp), with some for timers, names and
// itself.
#ifndef CONVOY_GRPC_THREADS_HPP
#define CONVOY_GRPC_THREADS_HPP

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace convoy {

// As gRPC counts them: also those that this process may not run on.
inline uint64_t grpc_cores() {
  return static_cast<uint64_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L));
}

// Threads that run what has happened.
inline uint64_t grpc_runners() {
  return std::clamp<uint64_t>(grpc_cores(), 2, 16);
}

// Threads that look for what happens to the callbacks of all servers and clients.
inline uint64_t grpc_pollers() {
  return std::clamp<uint64_t>(grpc_cores() / 2, 2, 16);
}

}  // namespace convoy

#endif
