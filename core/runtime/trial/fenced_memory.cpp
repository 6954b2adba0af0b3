#include "core/runtime/trial/fenced_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "core/base/error.hpp"

namespace convoy::runtime {
namespace {

constexpr std::uint64_t kGuardBytes = std::uint64_t{1} << 20;

std::uint64_t whole_pages(std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

FencedMemory::FencedMemory(std::uint64_t bytes, Side at_guard)
    : page_bytes_(whole_pages(bytes)), bytes_(bytes) {
  void* const memory = mmap(nullptr, page_bytes_ + 2 * kGuardBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail(ExitCode::kUnavailable, "no memory to try a kernel in");
  first_guard_ = static_cast<std::byte*>(memory);
  // Each change of the protection costs a fault per page, so large pages help. This is only advice.
  madvise(first_guard_ + kGuardBytes, page_bytes_, MADV_HUGEPAGE);
  data_ = first_guard_ + kGuardBytes + (at_guard == Side::kEnd ? page_bytes_ - bytes_ : 0);
  allow_writes(true);
}

FencedMemory::~FencedMemory() {
  if (first_guard_ != nullptr) munmap(first_guard_, page_bytes_ + 2 * kGuardBytes);
}

FencedMemory::FencedMemory(FencedMemory&& other) noexcept
    : first_guard_(std::exchange(other.first_guard_, nullptr)),
      page_bytes_(other.page_bytes_),
      data_(other.data_),
      bytes_(other.bytes_) {}

void FencedMemory::allow_writes(bool allowed) {
  if (mprotect(first_guard_ + kGuardBytes, page_bytes_,
               allowed ? PROT_READ | PROT_WRITE : PROT_READ) != 0)
    fail(ExitCode::kUnavailable, "no memory to try a kernel in");
}

bool FencedMemory::holds(const void* address) const {
  const auto* const it = static_cast<const std::byte*>(address);
  return it >= first_guard_ && it < first_guard_ + page_bytes_ + 2 * kGuardBytes;
}

bool FencedMemory::guards(const void* address) const {
  const auto* const it = static_cast<const std::byte*>(address);
  const std::byte* const begin = first_guard_ + kGuardBytes;
  return holds(address) && (it < begin || it >= begin + page_bytes_);
}

}  // namespace convoy::runtime
