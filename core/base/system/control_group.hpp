#pragma once

#include <cstdint>
#include <optional>

#include "core/base/system/system_root.hpp"

namespace convoy {

// What control groups (version 1 or 2, the process's own one and all above it) allow. Empty: no
// limit, or none that can be seen.
struct ControlGroupLimits {
  int version = 0;  // 0: no control groups are to be seen
  std::optional<double> processors;
  std::optional<std::uint64_t> memory_bytes;
  // What their processes leave of that. Cached files count as free, because they give way.
  std::optional<std::uint64_t> free_memory_bytes;
  // The same where what their processes have goes to swap, as far as they may and there is room.
  std::optional<std::uint64_t> free_with_swap_bytes;
};

ControlGroupLimits control_group_limits(const SystemRoot& root);

}  // namespace convoy
