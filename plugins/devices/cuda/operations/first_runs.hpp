#pragma once

#include <convoy/abi.h>

#include <array>
#include <cstdint>
#include <set>

namespace convoy::cuda {

// Finds the operations on regions that a device runs for the first time, because their kernels may
// have to be loaded. Used by one thread.
class FirstRuns {
 public:
  // Returns false if an operation of this kind ran on this memory before, with the same types and
  // the same strategy's kernel.
  bool add(const convoy_submission& operation);

 private:
  std::set<std::array<std::uint64_t, 6>> known_;
};

}  // namespace convoy::cuda
