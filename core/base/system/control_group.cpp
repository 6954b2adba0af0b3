#include "core/base/system/control_group.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text/system_text.hpp"

namespace convoy {
namespace {

// Version 1 has no word for "no limit": it reports a number above this one.
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 60;

// Returns the group's folder and all its ancestors: "/a/b" gives "/a/b", "/a" and "". In a
// container, the path may be that of the host. Then only "" exists.
std::vector<std::string> ancestors(std::string path) {
  std::vector<std::string> result;
  while (!path.empty() && path != "/") {
    result.push_back(path);
    path.resize(std::min(path.rfind('/'), path.size() - 1));
  }
  result.emplace_back();
  return result;
}

// Returns the path of the process's group in the hierarchy that has the controller. Version 2 has
// no controller names there.
std::string own_group(const SystemRoot& root, const std::string& controller) {
  for (const std::string& line : lines_of(root.text("proc/self/cgroup").value_or(""))) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', std::min(first, line.size() - 1) + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool wanted = controller.empty()
                            ? names == ",,"
                            : names.find("," + controller + ",") != std::string::npos;
    if (wanted) return line.substr(second + 1);
  }
  return {};
}

template <typename T>
void tighten(std::optional<T>& limit, T value) {
  limit = limit ? std::min(*limit, value) : value;
}

// Returns `all` minus `part`, but at least 0.
std::uint64_t left_of(std::uint64_t all, std::uint64_t part) {
  return all - std::min(all, part);
}

std::uint64_t bytes_in(const SystemRoot& root, const std::string& file) {
  return static_cast<std::uint64_t>(root.number(file).value_or(0));
}

// Returns the memory of a group that does not give way. The group's limit counts cached files as
// well, but these give way before the limit refuses memory. `all` is the prefix of the statistics
// that include the groups below.
std::uint64_t used_memory(const SystemRoot& root, const std::string& folder, const char* usage,
                          const std::string& all) {
  const std::uint64_t used = bytes_in(root, folder + usage);
  const std::string statistics = root.text(folder + "/memory.stat").value_or("");
  std::uint64_t cached = 0;
  // Version 1 does not have slab_reclaimable.
  for (const char* const list : {"inactive_file", "active_file", "slab_reclaimable"})
    cached += leading_number(value_of(statistics, all + list, ' ').value_or("")).value_or(0);
  return left_of(used, cached);
}

// Returns how much the group may still swap. If the file holds no number, it may use all free swap.
std::uint64_t free_swap_2(const SystemRoot& root, const std::string& folder) {
  const auto most = root.number(folder + "/memory.swap.max");
  if (!most) return kNoLimit;
  return left_of(static_cast<std::uint64_t>(*most),
                 bytes_in(root, folder + "/memory.swap.current"));
}

// Version 1 counts memory and swap together; `bytes` is the limit of memory alone.
std::uint64_t free_swap_1(const SystemRoot& root, const std::string& folder, std::uint64_t bytes) {
  const auto both = root.number(folder + "/memory.memsw.limit_in_bytes");
  if (!both || static_cast<std::uint64_t>(*both) >= kNoLimit) return kNoLimit;
  const std::uint64_t swapped = left_of(bytes_in(root, folder + "/memory.memsw.usage_in_bytes"),
                                        bytes_in(root, folder + "/memory.usage_in_bytes"));
  return left_of(left_of(static_cast<std::uint64_t>(*both), bytes), swapped);
}

struct MemoryOfGroup {
  std::uint64_t limit;
  std::uint64_t used;
  std::uint64_t free_swap;
};

void limit_memory(const SystemRoot& root, const MemoryOfGroup& group, ControlGroupLimits& limits) {
  const std::uint64_t swap = root.memory_field("SwapFree").value_or(0);
  tighten(limits.memory_bytes, group.limit);
  tighten(limits.free_memory_bytes, left_of(group.limit, group.used));
  tighten(limits.free_with_swap_bytes,
          left_of(group.limit, left_of(group.used, std::min(swap, group.free_swap))));
}

void read_version_2(const SystemRoot& root, ControlGroupLimits& limits) {
  for (const std::string& group : ancestors(own_group(root, ""))) {
    const std::string folder = "sys/fs/cgroup" + group;
    if (const auto memory = root.number(folder + "/memory.max"))
      limit_memory(root,
                   {static_cast<std::uint64_t>(*memory),
                    used_memory(root, folder, "/memory.current", ""), free_swap_2(root, folder)},
                   limits);
    const std::vector<std::string> cpu = words_of(root.text(folder + "/cpu.max").value_or(""));
    if (cpu.size() != 2) continue;
    const auto quota = leading_number(cpu[0]);
    const auto period = leading_number(cpu[1]);
    if (quota && period && *period > 0)
      tighten(limits.processors, static_cast<double>(*quota) / static_cast<double>(*period));
  }
}

void read_version_1(const SystemRoot& root, ControlGroupLimits& limits) {
  for (const std::string& group : ancestors(own_group(root, "memory"))) {
    const std::string folder = "sys/fs/cgroup/memory" + group;
    const std::uint64_t bytes = bytes_in(root, folder + "/memory.limit_in_bytes");
    if (bytes > 0 && bytes < kNoLimit)
      limit_memory(root,
                   {bytes, used_memory(root, folder, "/memory.usage_in_bytes", "total_"),
                    free_swap_1(root, folder, bytes)},
                   limits);
  }
  for (const std::string& group : ancestors(own_group(root, "cpu"))) {
    const std::string folder = "sys/fs/cgroup/cpu" + group;
    const auto quota = root.number(folder + "/cpu.cfs_quota_us");
    const auto period = root.number(folder + "/cpu.cfs_period_us");
    if (quota && period && *quota > 0 && *period > 0)
      tighten(limits.processors, static_cast<double>(*quota) / static_cast<double>(*period));
  }
}

}  // namespace

ControlGroupLimits control_group_limits(const SystemRoot& root) {
  ControlGroupLimits limits;
  if (root.exists("sys/fs/cgroup/cgroup.controllers")) {
    limits.version = 2;
    read_version_2(root, limits);
  } else if (root.exists("sys/fs/cgroup/memory") || root.exists("sys/fs/cgroup/cpu")) {
    limits.version = 1;
    read_version_1(root, limits);
  }
  return limits;
}

}  // namespace convoy
