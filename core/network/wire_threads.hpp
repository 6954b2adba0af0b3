#pragma once

#include <convoy/grpc_threads.hpp>
#include <cstdint>

namespace convoy::network {

// Returns how many threads a task needs for the network between tasks: those of gRPC, and a few
// that gRPC and the task start beside them.
inline std::uint64_t wire_threads() {
  constexpr std::uint64_t kRest = 8;
  return grpc_runners() + grpc_pollers() + kRest;
}

}  // namespace convoy::network
