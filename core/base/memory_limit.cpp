#include "core/base/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "core/base/control_group.hpp"
#include "core/base/system_text.hpp"

namespace convoy {

// "MemTotal:  16266172 kB".
std::optional<std::uint64_t> memory_field(const SystemRoot& root, const char* name) {
  const auto value = value_of(root.text("proc/meminfo").value_or(""), name, ':');
  const auto kibibytes = leading_number(value.value_or(""));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::optional<std::uint64_t> available_memory(const SystemRoot& root) {
  std::optional<std::uint64_t> available = memory_field(root, "MemAvailable");
  const auto tighten = [&](std::uint64_t bytes) {
    available = std::min(available.value_or(bytes), bytes);
  };
  if (const auto allowed = control_group_limits(root).memory_bytes) tighten(*allowed);
  rlimit addresses{};
  if (root.is_this_machine() && getrlimit(RLIMIT_AS, &addresses) == 0 &&
      addresses.rlim_cur != RLIM_INFINITY)
    tighten(addresses.rlim_cur);
  return available;
}

std::optional<MemoryLimit> memory_limit(const SystemRoot& root) {
  const std::optional<std::uint64_t> total = memory_field(root, "MemTotal");
  const std::optional<std::uint64_t> group = control_group_limits(root).memory_bytes;
  if (group && (!total || *group < *total)) return MemoryLimit{*group, "the control group allows"};
  if (total) return MemoryLimit{*total, "this machine has"};
  return std::nullopt;
}

}  // namespace convoy
