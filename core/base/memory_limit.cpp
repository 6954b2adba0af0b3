#include "core/base/memory_limit.hpp"

#include "core/base/control_group.hpp"
#include "core/base/system_text.hpp"

namespace convoy {

std::optional<std::uint64_t> memory_total(const SystemRoot& root) {
  // "MemTotal:  16266172 kB".
  const auto value = value_of(root.text("proc/meminfo").value_or(""), "MemTotal", ':');
  const auto kibibytes = leading_number(value.value_or(""));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

std::optional<MemoryLimit> memory_limit(const SystemRoot& root) {
  const std::optional<std::uint64_t> total = memory_total(root);
  const std::optional<std::uint64_t> group = control_group_limits(root).memory_bytes;
  if (group && (!total || *group < *total)) return MemoryLimit{*group, "the control group allows"};
  if (total) return MemoryLimit{*total, "this machine has"};
  return std::nullopt;
}

}  // namespace convoy
