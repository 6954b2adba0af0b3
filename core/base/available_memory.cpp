#include "core/base/available_memory.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "core/base/control_groups.hpp"
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

}  // namespace convoy
