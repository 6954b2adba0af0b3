#include "core/base/process/left_memory.hpp"

#include <mutex>
#include <new>
#include <vector>

namespace convoy {

void leave_reachable(const void* object) noexcept {
  static std::mutex mutex;
  static auto* left = new (std::nothrow) std::vector<const void*>;
  const std::lock_guard lock(mutex);
  try {
    if (left != nullptr) left->push_back(object);
  } catch (const std::bad_alloc&) {
    // the object is left all the same, but a leak checker reports it
  }
}

}  // namespace convoy
