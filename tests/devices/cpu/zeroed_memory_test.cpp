#include "plugins/devices/cpu/zeroed_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

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

// Whether the system shows that a program asked for large pages. Emulators of user programs do not.
bool shows_advice() {
  constexpr std::size_t kBytes = 4 * kLargePage;
  void* const pages =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return false;
  const bool asked = ::madvise(pages, kBytes, MADV_HUGEPAGE) == 0;
  const std::string flags = mapping_flags(pages);
  ::munmap(pages, kBytes);
  return asked && flags.find(" hg ") != std::string::npos;
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
  if (!shows_advice()) GTEST_SKIP() << "this system does not show who asks for large pages";
  EXPECT_NE(mapping_flags(large.get()).find(" hg "), std::string::npos);
}

}  // namespace
}  // namespace convoy::cpu
