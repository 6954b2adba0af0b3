#include "core/base/memory_limit.hpp"

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
  EXPECT_EQ(memory_field(root, "MemTotal"), 8000u * 1024);
  write(folder / "proc/self/cgroup", "0::/\n");
  write(folder / "sys/fs/cgroup/cgroup.controllers", "memory\n");
  write(folder / "sys/fs/cgroup/memory.max", "1048576\n");
  EXPECT_EQ(available_memory(root), 1048576u);
}

TEST(AvailableMemory, IsKnownOfThisMachine) {
  EXPECT_GT(available_memory(SystemRoot("/")).value_or(0), 1u << 20);
}

}  // namespace
}  // namespace convoy
