#include "core/base/system/memory_limit.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/system/control_group.hpp"
#include "core/base/text/system_text.hpp"

namespace convoy {

namespace {

// Returns a field of the statistics of ZFS's file cache (arcstats), in bytes: "c_min  4
// 1033502720" on a line.
std::optional<std::uint64_t> cache_field(const std::string& statistics, std::string_view name) {
  for (const std::string& line : lines_of(statistics)) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 3 && words[0] == name) return leading_number(words[2]);
  }
  return std::nullopt;
}

// Returns the bytes that ZFS's cache can give up. It shrinks to its minimum size, but the kernel
// does not count it as available.
std::uint64_t yielding_zfs_cache(const SystemRoot& root) {
  const std::string statistics = root.text("proc/spl/kstat/zfs/arcstats").value_or("");
  const std::uint64_t size = cache_field(statistics, "size").value_or(0);
  return size - std::min(size, cache_field(statistics, "c_min").value_or(size));
}

// Returns `ulimit -v` of this process.
std::optional<std::uint64_t> limit_of_addresses(const SystemRoot& root) {
  rlimit addresses{};
  if (!root.is_this_machine() || getrlimit(RLIMIT_AS, &addresses) != 0 ||
      addresses.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return addresses.rlim_cur;
}

std::optional<std::uint64_t> free_in_machine(const SystemRoot& root) {
  const auto available = machines_available_memory(root);
  if (!available) return std::nullopt;
  return *available + root.memory_field("SwapFree").value_or(0);
}

}  // namespace

std::optional<std::uint64_t> machines_available_memory(const SystemRoot& root) {
  const auto available = root.memory_field("MemAvailable");
  if (!available) return std::nullopt;
  return *available + yielding_zfs_cache(root);
}

std::optional<std::uint64_t> available_memory(const SystemRoot& root) {
  std::optional<std::uint64_t> available = machines_available_memory(root);
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
  tighten(root.memory_field("MemTotal"), free_in_machine(root), "this machine has");
  const ControlGroupLimits groups = control_group_limits(root);
  tighten(groups.memory_bytes, groups.free_with_swap_bytes, "the control group allows");
  tighten(limit_of_addresses(root), std::nullopt, "ulimit -v allows");
  return least;
}

std::string need_text(double bytes) {
  return bytes_text(static_cast<std::uint64_t>(std::min(bytes, 1e18)));
}

std::string limit_text(const MemoryLimit& limit) {
  std::string text = std::string(limit.whose) + " " + bytes_text(limit.total);
  if (limit.bytes != limit.total) text += ", of which " + bytes_text(limit.bytes) + " are free";
  return text;
}

}  // namespace convoy
