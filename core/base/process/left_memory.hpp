#pragma once

#include <memory>

namespace convoy {

// Memory that something hung may still use is left to the end of the process. It stays reachable,
// so that a leak checker reports only what was lost by mistake.
void leave_reachable(const void* object) noexcept;

template <typename T, typename Release>
void leave_to_the_end(std::unique_ptr<T, Release>& owner) noexcept {
  leave_reachable(owner.release());
}

}  // namespace convoy
