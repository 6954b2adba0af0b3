#include <fmt/format.h>

#include <algorithm>

#include "core/base/system/control_group.hpp"
#include "core/base/system/memory_limit.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/system_text.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

void memory(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "memory";
  const auto total = root.memory_field("MemTotal");
  const auto available = machines_available_memory(root);
  const ControlGroupLimits limits = control_group_limits(root);
  if (!total && !limits.memory_bytes)
    return findings.push_back({kSubject, Health::kUnknown, "/proc/meminfo cannot be read", ""});
  std::string text = total ? bytes_text(*total) : "total unknown";
  if (available) text += fmt::format(", {} available", bytes_text(*available));
  const bool limited = limits.memory_bytes && (!total || *limits.memory_bytes < *total);
  if (limited) {
    text += fmt::format(", but the control group allows {}", bytes_text(*limits.memory_bytes));
    if (*limits.free_memory_bytes < *limits.memory_bytes)
      text += fmt::format(", of which {} are free", bytes_text(*limits.free_memory_bytes));
  }
  std::uint64_t usable = limited ? *limits.memory_bytes : *total;
  for (const auto& free : {available, limits.free_memory_bytes})
    if (free) usable = std::min(usable, *free);
  // resnet50 at batch 16 needs about 3 GiB, and the system kills a program above its limit without
  // a message.
  if (usable < kGiB)
    return findings.push_back({kSubject, Health::kFail, text,
                               "too little for any of the larger models: close other programs or "
                               "give the container more (--memory)"});
  if (usable < 4 * kGiB)
    return findings.push_back({kSubject, Health::kWarn, text,
                               "enough for small batches only: --batch_size=8, or give the "
                               "container more (--memory)"});
  findings.push_back({kSubject, Health::kOk, text, ""});
}

void numa_nodes(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "NUMA";
  const auto nodes = list_size(root.text("sys/devices/system/node/online").value_or(""));
  if (!nodes)
    return findings.push_back({kSubject, Health::kUnknown, "/sys does not list memory nodes", ""});
  const auto balancing = root.number("proc/sys/kernel/numa_balancing");
  const std::string text = counted(*nodes, "memory node");
  if (*nodes > 1 && balancing.value_or(0) != 0)
    return findings.push_back(
        {kSubject, Health::kWarn, text + ", the kernel moves pages between them",
         "devices are bound to their node already: sysctl kernel.numa_balancing=0"});
  findings.push_back({kSubject, Health::kOk, text, ""});
}

void huge_pages(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "transparent huge pages";
  const auto modes = root.text("sys/kernel/mm/transparent_hugepage/enabled");
  if (!modes)
    return findings.push_back({kSubject, Health::kUnknown, "the kernel does not say", ""});
  const std::size_t begin = modes->find('[');
  const std::size_t end = modes->find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    return findings.push_back({kSubject, Health::kUnknown, *modes, ""});
  const std::string mode = modes->substr(begin + 1, end - begin - 1);
  if (mode == "never")
    return findings.push_back({kSubject, Health::kWarn, mode,
                               "arenas of hundreds of MB profit: echo madvise > "
                               "/sys/kernel/mm/transparent_hugepage/enabled"});
  findings.push_back({kSubject, Health::kOk, mode, ""});
}

// Returns the size option of the mount. Without one, tmpfs takes half of the memory.
std::optional<std::uint64_t> mount_size(const std::string& options,
                                        std::optional<std::uint64_t> memory) {
  const std::size_t at = ("," + options).find(",size=");
  if (at == std::string::npos) {
    if (!memory) return std::nullopt;
    return *memory / 2;
  }
  const std::string value = options.substr(at + 5, options.find(',', at) - at - 5);
  const auto number = leading_number(value);
  if (!number) return std::nullopt;
  switch (value.back()) {
    case 'k':
      return *number << 10;
    case 'm':
      return *number << 20;
    case 'g':
      return *number << 30;
    default:
      return number;
  }
}

void shared_memory(const SystemRoot& root, Findings& findings) {
  constexpr const char* kSubject = "/dev/shm";
  const auto mounts = root.text("proc/mounts");
  if (!mounts)
    return findings.push_back({kSubject, Health::kUnknown, "/proc/mounts cannot be read", ""});
  for (const std::string& line : lines_of(*mounts)) {
    const std::vector<std::string> fields = words_of(line);
    if (fields.size() < 4 || fields[1] != "/dev/shm") continue;
    const auto size = mount_size(fields[3], root.memory_field("MemTotal"));
    if (!size) return findings.push_back({kSubject, Health::kUnknown, "mounted, size unknown", ""});
    // NCCL puts its buffers there, about 10 MB per pair of GPUs.
    if (*size < kGiB / 4)
      return findings.push_back({kSubject, Health::kWarn, bytes_text(*size),
                                 "GPU collectives keep buffers there: docker run --shm-size=1g"});
    return findings.push_back({kSubject, Health::kOk, bytes_text(*size), ""});
  }
  findings.push_back({kSubject, Health::kWarn, "not mounted",
                      "GPU collectives need it: mount -t tmpfs tmpfs /dev/shm"});
}

}  // namespace

void probe_memory(const SystemRoot& root, Findings& findings) {
  memory(root, findings);
  numa_nodes(root, findings);
  huge_pages(root, findings);
  shared_memory(root, findings);
}

}  // namespace convoy::doctor
