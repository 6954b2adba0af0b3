#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convoy::mpi {

// MPI in this process. The first call of `start` starts it, and it ends when the process exits,
// because it cannot be started twice. Calls of MPI never overlap (MPI_THREAD_SERIALIZED).

// Returns why no MPI launcher has started this process; empty when one has.
std::string why_not_launched();
// Throws std::runtime_error.
void start();

struct World {
  std::uint32_t rank;
  std::uint32_t ranks;
};
World world();

// Gathers `mine.size()` bytes of every process in `all`, in the order of ranks. Throws TimedOut;
// MPI cannot make another exchange then.
void gather(std::span<const std::byte> mine, double seconds, std::byte* all);

// Throws std::runtime_error unless an MPI function returned success.
void require(int result, const char* what);

// Sleeps when nothing has moved for some time, because MPI has no descriptor to wait for.
class Patience {
 public:
  void moved() { idle_since_ = now(); }
  void wait(double until);
  static double now();

 private:
  double idle_since_ = now();
};

}  // namespace convoy::mpi
