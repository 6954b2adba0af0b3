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

namespace {

// ulimit -v of this process.
std::optional<std::uint64_t> limit_of_addresses(const SystemRoot& root) {
  rlimit addresses{};
  if (!root.is_this_machine() || getrlimit(RLIMIT_AS, &addresses) != 0 ||
      addresses.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return addresses.rlim_cur;
}

}  // namespace

std::optional<std::uint64_t> available_memory(const SystemRoot& root) {
  std::optional<std::uint64_t> available = memory_field(root, "MemAvailable");
  const auto tighten = [&](std::uint64_t bytes) {
    available = std::min(available.value_or(bytes), bytes);
  };
  if (const auto allowed = control_group_limits(root).memory_bytes) tighten(*allowed);
  if (const auto addresses = limit_of_addresses(root)) tighten(*addresses);
  return available;
}

std::optional<MemoryLimit> memory_limit(const SystemRoot& root) {
  std::optional<MemoryLimit> least;
  const auto tighten = [&](std::optional<std::uint64_t> bytes, const char* whose) {
    if (bytes && (!least || *bytes < least->bytes)) least = MemoryLimit{*bytes, whose};
  };
  tighten(memory_field(root, "MemTotal"), "this machine has");
  tighten(control_group_limits(root).memory_bytes, "the control group allows");
  tighten(limit_of_addresses(root), "ulimit -v allows");
  return least;
}

}  // namespace convoy
