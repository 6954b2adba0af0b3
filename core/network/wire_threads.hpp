#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace convoy::network {

// Threads of a task for the network between tasks: gRPC starts up to one thread for each of 16
// cores that run what has happened, half as many that look for it, and some for timers, names and
// the rest; the task starts a few of its own, too. Cores as gRPC counts them.
inline std::uint64_t wire_threads() {
  constexpr std::uint64_t kRest = 8;
  const auto cores = static_cast<std::uint64_t>(std::max(::sysconf(_SC_NPROCESSORS_CONF), 1L));
  const auto between = [](std::uint64_t count) {
    return std::clamp(count, std::uint64_t{2}, std::uint64_t{16});
  };
  return between(cores) + between(cores / 2) + kRest;
}

}  // namespace convoy::network
