#include "plugins/devices/cpu/zeroed_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace convoy::cpu {
namespace {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

// The flags of the mapping that an address lies in, as the system lists them; empty where it does
// not.
std::string mapping_flags(const void* address) {
  std::ifstream mappings("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(mappings, line);) {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> first >> dash >> end && dash == '-') {
      inside = first <= wanted && wanted < end;
    }
    if (inside && line.rfind("VmFlags:", 0) == 0) return line + ' ';
  }
  return "";
}

TEST(ZeroedMemory, IsZeroUpToItsLastByteAndBeginsAtAPage) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, kLargePage - 1,
                                  kLargePage, 3 * kLargePage + 5}) {
    const Memory memory = zeroed_memory(bytes);
    const char* const start = static_cast<const char*>(memory.get());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % 4096, 0u) << bytes;
    EXPECT_TRUE(std::all_of(start, start + bytes, [](char byte) { return byte == 0; })) << bytes;
  }
}

TEST(ZeroedMemory, AsksForLargePagesWhereTheyFit) {
  const Memory large = zeroed_memory(4 * kLargePage);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.get()) % kLargePage, 0u);
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) {
    GTEST_SKIP() << "this system has no large pages that programs can ask for";
  }
  if (mapping_flags(large.get()).empty()) GTEST_SKIP() << "/proc/self/smaps shows no flags here";
  EXPECT_NE(mapping_flags(large.get()).find(" hg "), std::string::npos);
}

}  // namespace
}  // namespace convoy::cpu
