#include "core/base/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "core/base/control_group.hpp"
#include "core/base/memory_field.hpp"

namespace convoy {

namespace {

// ulimit -v of this process.
std::optional<std::uint64_t> limit_of_addresses(const SystemRoot& root) {
  rlimit addresses{};
  if (!root.is_this_machine() || getrlimit(RLIMIT_AS, &addresses) != 0 ||
      addresses.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return addresses.rlim_cur;
}

std::optional<std::uint64_t> free_in_machine(const SystemRoot& root) {
  const auto available = memory_field(root, "MemAvailable");
  if (!available) return std::nullopt;
  return *available + memory_field(root, "SwapFree").value_or(0);
}

}  // namespace

std::optional<std::uint64_t> available_memory(const SystemRoot& root) {
  std::optional<std::uint64_t> available = memory_field(root, "MemAvailable");
  const auto tighten = [&](std::uint64_t bytes) {
    available = std::min(available.value_or(bytes), bytes);
  };
  if (const auto left = control_group_limits(root).free_memory_bytes) tighten(*left);
  if (const auto addresses = limit_of_addresses(root)) tighten(*addresses);
  return available;
}

std::optional<MemoryLimit> memory_limit(const SystemRoot& root) {
  std::optional<MemoryLimit> least;
  const auto tighten = [&](std::optional<std::uint64_t> total, std::optional<std::uint64_t> free,
                           const char* whose) {
    if (!total) return;
    const std::uint64_t bytes = std::min(*total, free.value_or(*total));
    if (!least || bytes < least->bytes) least = MemoryLimit{bytes, *total, whose};
  };
  tighten(memory_field(root, "MemTotal"), free_in_machine(root), "this machine has");
  const ControlGroupLimits groups = control_group_limits(root);
  tighten(groups.memory_bytes, groups.free_with_swap_bytes, "the control group allows");
  tighten(limit_of_addresses(root), std::nullopt, "ulimit -v allows");
  return least;
}

}  // namespace convoy
