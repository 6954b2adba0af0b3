#include "core/base/system/memory_limit.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/scratch_folder.hpp"

namespace convoy {
namespace {

void write(const std::filesystem::path& file, const char* text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(AvailableMemory, IsWhatTheSystemHasLeftOrWhatTheControlGroupAllows) {
  const std::filesystem::path folder = scratch_folder("memory");
  const SystemRoot root(folder);
  EXPECT_FALSE(available_memory(root));
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:  4000 kB\n");
  EXPECT_EQ(available_memory(root), 4000u * 1024);
  EXPECT_EQ(root.memory_field("MemTotal"), 8000u * 1024);
  write(folder / "proc/self/cgroup", "0::/\n");
  write(folder / "sys/fs/cgroup/cgroup.controllers", "memory\n");
  write(folder / "sys/fs/cgroup/memory.max", "1048576\n");
  EXPECT_EQ(available_memory(root), 1048576u);
}

TEST(AvailableMemory, CountsTheCacheOfZfsAboveItsLeastSize) {
  const std::filesystem::path folder = scratch_folder("zfs");
  const SystemRoot root(folder);
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:  1000 kB\n");
  write(folder / "proc/spl/kstat/zfs/arcstats",
        "9 1 0x01 147 39984 12173498374 98237498234\n"
        "name                            type data\n"
        "hits                            4    812345\n"
        "c                               4    5242880\n"
        "c_min                           4    1048576\n"
        "size                            4    4194304\n"
        "compressed_size                 4    3000000\n");
  EXPECT_EQ(machines_available_memory(root), 1000u * 1024 + 4194304 - 1048576);
  EXPECT_EQ(available_memory(root), 1000u * 1024 + 4194304 - 1048576);
  EXPECT_EQ(memory_limit(root)->bytes, 1000u * 1024 + 4194304 - 1048576);
  write(folder / "proc/spl/kstat/zfs/arcstats", "c_min 4 1048576\nsize 4 1000\n");
  EXPECT_EQ(available_memory(root), 1000u * 1024) << "a small cache keeps what it has";
  write(folder / "proc/spl/kstat/zfs/arcstats", "size 4 4194304\n");
  EXPECT_EQ(available_memory(root), 1000u * 1024) << "of which nothing says what it gives back";
}

TEST(AvailableMemory, OfAControlGroupIsWhatItsProcessesLeave) {
  const std::filesystem::path folder = scratch_folder("used_group");
  const SystemRoot root(folder);
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:  4000 kB\n");
  write(folder / "proc/self/cgroup", "0::/job\n");
  write(folder / "sys/fs/cgroup/cgroup.controllers", "memory\n");
  write(folder / "sys/fs/cgroup/job/memory.max", "2097152\n");
  write(folder / "sys/fs/cgroup/job/memory.current", "1572864\n");
  EXPECT_EQ(available_memory(root), 524288u);
  write(folder / "sys/fs/cgroup/job/memory.stat",
        "anon 524288\ninactive_file 262144\nactive_file 262144\n");
  EXPECT_EQ(available_memory(root), 1048576u) << "cached files give way";
}

TEST(MemoryLimit, IsWhatIsFreeOfTheMachine) {
  const std::filesystem::path folder = scratch_folder("used_machine");
  const SystemRoot root(folder);
  EXPECT_FALSE(memory_limit(root));
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemFree: 500 kB\nMemAvailable:  4000 kB\n");
  ASSERT_TRUE(memory_limit(root));
  EXPECT_EQ(memory_limit(root)->bytes, 4000u * 1024);
  EXPECT_EQ(memory_limit(root)->total, 8000u * 1024);
  EXPECT_STREQ(memory_limit(root)->whose, "this machine has");
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 4000 kB\nSwapFree: 1000 kB\n");
  EXPECT_EQ(memory_limit(root)->bytes, 5000u * 1024) << "what others have may be swapped";
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 4000 kB\nSwapFree: 9000 kB\n");
  EXPECT_EQ(memory_limit(root)->bytes, 8000u * 1024) << "the run itself is not";
}

TEST(MemoryLimit, IsThatOfTheControlGroupWhereThatHasLessLeft) {
  const std::filesystem::path folder = scratch_folder("used_version_1");
  const SystemRoot root(folder);
  write(folder / "proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:  4000 kB\n");
  write(folder / "proc/self/cgroup", "4:memory:/job\n");
  const std::filesystem::path group = folder / "sys/fs/cgroup/memory/job";
  write(group / "memory.limit_in_bytes", "6291456\n");
  EXPECT_STREQ(memory_limit(root)->whose, "this machine has");
  write(group / "memory.usage_in_bytes", "4194304\n");
  write(group / "memory.stat", "inactive_file 1\ntotal_inactive_file 524288\n");
  EXPECT_STREQ(memory_limit(root)->whose, "the control group allows");
  EXPECT_EQ(memory_limit(root)->total, 6291456u);
  EXPECT_EQ(memory_limit(root)->bytes, 6291456u - 4194304u + 524288u);
}

// What others in the group have may go to swap as far as the group may use it and the machine has
// room, but the run itself needs memory.
TEST(MemoryLimit, CountsTheSwapThatTheControlGroupAllows) {
  const std::filesystem::path folder = scratch_folder("swap_of_group");
  const SystemRoot root(folder);
  const std::filesystem::path group = folder / "sys/fs/cgroup/job";
  write(folder / "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 9000 kB\nSwapFree: 1024 kB\n");
  write(folder / "proc/self/cgroup", "0::/job\n");
  write(folder / "sys/fs/cgroup/cgroup.controllers", "memory\n");
  write(group / "memory.max", "2097152\n");
  write(group / "memory.current", "1572864\n");
  const auto free = [&] { return memory_limit(root)->bytes; };
  EXPECT_EQ(free(), 524288u + 1048576u) << "the machine's room";
  write(group / "memory.swap.max", "max\n");
  EXPECT_EQ(free(), 524288u + 1048576u);
  write(group / "memory.swap.max", "524288\n");
  write(group / "memory.swap.current", "262144\n");
  EXPECT_EQ(free(), 524288u + 262144u);
  write(group / "memory.swap.max", "0\n");
  EXPECT_EQ(free(), 524288u);
  write(group / "memory.swap.max", "max\n");
  write(group / "memory.current", "1000000\n");
  EXPECT_EQ(free(), 2097152u) << "not more than the limit";
  EXPECT_EQ(available_memory(root), 2097152u - 1000000u) << "before anything is swapped";
}

TEST(MemoryLimit, CountsTheSwapOfAControlGroupOfVersion1) {
  const std::filesystem::path folder = scratch_folder("swap_of_version_1");
  const SystemRoot root(folder);
  const std::filesystem::path group = folder / "sys/fs/cgroup/memory/job";
  write(folder / "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 9000 kB\nSwapFree: 9000 kB\n");
  write(folder / "proc/self/cgroup", "4:memory:/job\n");
  write(group / "memory.limit_in_bytes", "4194304\n");
  write(group / "memory.usage_in_bytes", "4194304\n");
  write(group / "memory.memsw.limit_in_bytes", "6291456\n");
  write(group / "memory.memsw.usage_in_bytes", "5242880\n");
  EXPECT_EQ(memory_limit(root)->bytes, 1048576u);
  write(group / "memory.memsw.limit_in_bytes", "4194304\n");
  EXPECT_EQ(memory_limit(root)->bytes, 0u);
  write(group / "memory.memsw.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_limit(root)->bytes, 4194304u);
}

TEST(AvailableMemory, IsKnownOfThisMachine) {
  EXPECT_GT(available_memory(SystemRoot("/")).value_or(0), 1u << 20);
}

}  // namespace
}  // namespace convoy
