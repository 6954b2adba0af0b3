#pragma once

#include <mutex>
#include <vector>

#include "plugins/devices/cuda/kernels/loss.hpp"

namespace convoy::cuda {

// Small pieces of pinned host memory that kernels write results to. Thread-safe.
class PinnedSlots {
 public:
  // The result of one operation: that of a loss layer, or one number.
  union Slot {
    LossResult loss;
    double number;
  };

  ~PinnedSlots();
  Slot* take();
  void give_back(Slot* slot);

 private:
  std::mutex mutex_;
  std::vector<Slot*> pages_;
  std::vector<Slot*> free_;
};

}  // namespace convoy::cuda
