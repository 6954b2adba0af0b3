#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace convoy::mpi {

// MPI in this process. It is started by the first call of `start` and ended when the process exits:
// it cannot be started twice. Calls of MPI never overlap (MPI_THREAD_SERIALIZED).

// Why no MPI launcher has started this process; empty when one has.
std::string why_not_launched();
// Throws std::runtime_error.
void start();

struct World {
  std::uint32_t rank;
  std::uint32_t ranks;
};
World world();

// What every process brings, `mine.size()` bytes each, to `all`, in the order of ranks. Throws
// TimedOut; MPI is of no use for another exchange then.
void gather(std::span<const std::byte> mine, double seconds, std::byte* all);

// Throws std::runtime_error unless an MPI function returned success.
void require(int result, const char* what);

// Sleeps when nothing has moved for some time: MPI has no descriptor to wait for.
class Patience {
 public:
  void moved() { idle_since_ = now(); }
  void wait(double until);
  static double now();

 private:
  double idle_since_ = now();
};

}  // namespace convoy::mpi
