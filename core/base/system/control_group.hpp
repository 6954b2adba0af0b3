#pragma once

#include <cstdint>
#include <optional>

#include "core/base/system/system_root.hpp"

namespace convoy {

// The limits of the control groups (version 1 or 2): the process's own group and all its ancestors.
// Empty: there is no limit, or none that can be seen.
struct ControlGroupLimits {
  int version = 0;  // 0: no control groups can be seen
  std::optional<double> processors;
  std::optional<std::uint64_t> memory_bytes;
  // What the processes of these groups leave of the memory limit. Cached files count as free,
  // because they give way.
  std::optional<std::uint64_t> free_memory_bytes;
  // The same if the memory of these processes is swapped out, as far as they may use swap and swap
  // is free.
  std::optional<std::uint64_t> free_with_swap_bytes;
};

ControlGroupLimits control_group_limits(const SystemRoot& root);

}  // namespace convoy
