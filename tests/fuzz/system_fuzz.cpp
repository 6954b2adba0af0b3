// What a system says of its memory and control groups in /proc and /sys: texts of any bytes, with a
// zero byte behind each. Containers and other kernels say it in other words. What is understood are
// limits that leave no more than they allow. Which of them is asked for, the input's length says:
// each reads the same files.
#include "core/base/system/control_group.hpp"
#include "core/base/system/memory_limit.hpp"
#include "core/base/text/system_text.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

const std::vector<std::string> kTexts = {"proc/meminfo",
                                         "proc/self/cgroup",
                                         "proc/spl/kstat/zfs/arcstats",
                                         "sys/fs/cgroup/memory.max",
                                         "sys/fs/cgroup/memory.current",
                                         "sys/fs/cgroup/memory.stat",
                                         "sys/fs/cgroup/memory.swap.max",
                                         "sys/fs/cgroup/cpu.max",
                                         "sys/fs/cgroup/memory/memory.limit_in_bytes",
                                         "sys/fs/cgroup/memory/memory.usage_in_bytes",
                                         "sys/fs/cgroup/memory/memory.memsw.limit_in_bytes",
                                         "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                                         "sys/fs/cgroup/cpu/cpu.cfs_period_us"};

std::vector<std::string> texts_of_version_2() {
  std::vector<std::string> texts = kTexts;
  texts.emplace_back("sys/fs/cgroup/cgroup.controllers");
  return texts;
}

void write_texts(convoy::fuzz::MemoryFolder& folder, std::string_view input) {
  for (const std::string& name : kTexts) {
    const std::string_view text = input.substr(0, input.find('\0'));
    folder.write(name, text);
    input.remove_prefix(std::min(text.size() + 1, input.size()));
  }
}

void read_limits(const convoy::SystemRoot& root) {
  const convoy::ControlGroupLimits limits = convoy::control_group_limits(root);
  if (limits.memory_bytes) {
    CONVOY_CHECK(limits.free_memory_bytes <= limits.memory_bytes);
    CONVOY_CHECK(limits.free_with_swap_bytes <= limits.memory_bytes);
  }
  CONVOY_CHECK(limits.processors.value_or(0) >= 0);
  const auto available = convoy::available_memory(root);
  if (available && limits.memory_bytes) CONVOY_CHECK(*available <= *limits.memory_bytes);
}

void read_least_limit(const convoy::SystemRoot& root) {
  if (const auto limit = convoy::memory_limit(root)) CONVOY_CHECK(limit->bytes <= limit->total);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static convoy::fuzz::MemoryFolder version_1(kTexts);
  static convoy::fuzz::MemoryFolder version_2(texts_of_version_2());
  convoy::fuzz::MemoryFolder& folder = size % 2 == 0 ? version_1 : version_2;
  const std::string_view input = convoy::fuzz::as_text(data, size);
  write_texts(folder, input);
  const convoy::SystemRoot root(folder.path());
  size / 2 % 2 == 0 ? read_limits(root) : read_least_limit(root);
  if (const auto numbers = convoy::list_size(input)) CONVOY_CHECK(*numbers > 0);
  return 0;
}
