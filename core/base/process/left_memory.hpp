#pragma once

#include <memory>

namespace convoy {

// Keeps an object reachable until the process ends, because something that hangs may still use its
// memory. A leak checker then reports only memory that was lost by mistake.
void leave_reachable(const void* object) noexcept;

template <typename T, typename Release>
void leave_to_the_end(std::unique_ptr<T, Release>& owner) noexcept {
  leave_reachable(owner.release());
}

}  // namespace convoy
