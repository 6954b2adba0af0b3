#include <fmt/format.h>

#include "core/base/text/system_text.hpp"
#include "core/doctor/probes.hpp"

namespace convoy::doctor {
namespace {

struct Limit {
  const char* name;     // name in /proc/self/limits
  const char* subject;  // name in the report
  std::uint64_t wanted;
  bool bytes;
  const char* advice;
  bool for_infiniband;  // without InfiniBand, any value is sufficient
};

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

constexpr Limit kLimits[] = {
    {"Max locked memory", "limit of locked memory", 64 * kMiB, true,
     "InfiniBand needs more for the memory that it sends from: ulimit -l unlimited, or docker run "
     "--ulimit memlock=-1",
     true},
    {"Max open files", "limit of open files", 1024, false,
     "input files and connections need more: ulimit -n 4096", false},
    {"Max stack size", "limit of the stack", 8 * kMiB, true,
     "libraries expect the usual 8 MiB: ulimit -s 8192", false},
};

// A line looks like "Max open files            20000                20000                files".
std::optional<std::string> soft_limit(const std::string& limits, const std::string& name) {
  for (const std::string& line : lines_of(limits)) {
    if (!line.starts_with(name)) continue;
    const std::vector<std::string> values = words_of(line.substr(name.size()));
    if (!values.empty()) return values.front();
  }
  return std::nullopt;
}

// Memory from which an adapter sends counts as locked. Memory that CUDA pins belongs to its driver
// and does not count.
bool has_infiniband(const SystemRoot& root) {
  return !root.names("sys/class/infiniband").empty();
}

Finding examine_limit(const Limit& limit, const SystemRoot& root, const std::string& limits) {
  const auto soft = soft_limit(limits, limit.name);
  if (!soft) return {limit.subject, Health::kUnknown, "/proc/self/limits does not say", ""};
  if (*soft == "unlimited") return {limit.subject, Health::kOk, "unlimited", ""};
  const auto value = leading_number(*soft);
  if (!value) return {limit.subject, Health::kUnknown, *soft, ""};
  const std::string text = limit.bytes ? bytes_text(*value) : std::to_string(*value);
  if (*value >= limit.wanted) return {limit.subject, Health::kOk, text, ""};
  if (limit.for_infiniband && !has_infiniband(root))
    return {limit.subject, Health::kOk, text + ", enough without InfiniBand", ""};
  return {limit.subject, Health::kWarn, text, limit.advice};
}

}  // namespace

void probe_limits(const SystemRoot& root, Findings& findings) {
  const std::string limits = root.text("proc/self/limits").value_or("");
  for (const Limit& limit : kLimits) findings.push_back(examine_limit(limit, root, limits));
}

}  // namespace convoy::doctor
