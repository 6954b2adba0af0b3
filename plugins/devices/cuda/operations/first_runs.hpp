#pragma once

#include <convoy/abi.h>

#include <array>
#include <cstdint>
#include <set>

namespace convoy::cuda {

// Which operations on regions a device runs for the first time: their kernels may have to be
// loaded. Used by one thread.
class FirstRuns {
 public:
  // False: one of this kind ran on this memory before, with the same types and the same kernel of a
  // strategy.
  bool add(const convoy_submission& operation);

 private:
  std::set<std::array<std::uint64_t, 6>> known_;
};

}  // namespace convoy::cuda
