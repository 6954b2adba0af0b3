#include "plugins/devices/cuda/lanes/pinned_slots.hpp"

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

constexpr std::size_t kPerPage = 4096;

}  // namespace

PinnedSlots::~PinnedSlots() {
  for (Slot* page : pages_) static_cast<void>(free_pinned(page));
}

PinnedSlots::Slot* PinnedSlots::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    void* page = nullptr;
    require(allocate_pinned(&page, kPerPage * sizeof(Slot)), "allocating pinned host memory");
    pages_.push_back(static_cast<Slot*>(page));
    for (std::size_t i = 0; i < kPerPage; ++i) free_.push_back(pages_.back() + i);
  }
  Slot* slot = free_.back();
  free_.pop_back();
  *slot = {};
  return slot;
}

void PinnedSlots::give_back(Slot* slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

}  // namespace convoy::cuda
