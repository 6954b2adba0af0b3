#include "plugins/transports/shm/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

namespace convoy::shm {
namespace {

constexpr std::uint64_t kStateBytes = 4096;
constexpr std::uint64_t kRegionBytes = kStateBytes + 2 * kRingBytes;
// Nothing can shorten the memory, so mapped pages stay valid.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
static_assert(sizeof(SharedState) <= kStateBytes);

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno) +
                           "; is there memory left (df /dev/shm, ulimit -n)?");
}

void* map_at(void* address, std::uint64_t bytes, int descriptor, std::uint64_t offset) {
  void* const memory = ::mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                              descriptor, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) fail("shared memory cannot be mapped");
  return memory;
}

std::byte* reserve(std::uint64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail("no addresses for shared memory");
  return static_cast<std::byte*>(memory);
}

}  // namespace

Region::Region() {
  descriptor_ = ::memfd_create("convoy", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) fail("shared memory cannot be made");
  try {
    if (::ftruncate(descriptor_, kRegionBytes) != 0 ||
        ::fcntl(descriptor_, F_ADD_SEALS, kSeals) != 0)
      fail("shared memory cannot be made");
    map();
  } catch (...) {
    unmap();
    throw;
  }
  new (state_) SharedState{};
}

Region::Region(int descriptor) : descriptor_(descriptor) {
  struct stat facts {};
  const int seals = ::fcntl(descriptor_, F_GET_SEALS);
  try {
    if (::fstat(descriptor_, &facts) != 0 || seals < 0 || (seals & kSeals) != kSeals ||
        static_cast<std::uint64_t>(facts.st_size) != kRegionBytes)
      throw RefusedInput(CONVOY_REASON_MALFORMED,
                         "what came with the greeting is no shared memory");
    map();
  } catch (...) {
    unmap();
    throw;
  }
}

Region::~Region() {
  unmap();
}

void Region::map() {
  std::byte* const base = reserve(kStateBytes + 4 * kRingBytes);
  state_ = reinterpret_cast<SharedState*>(base);
  map_at(base, kStateBytes, descriptor_, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    rings_[i] = base + kStateBytes + 2 * i * kRingBytes;
    for (std::size_t twice = 0; twice < 2; ++twice)
      map_at(rings_[i] + twice * kRingBytes, kRingBytes, descriptor_, kStateBytes + i * kRingBytes);
  }
}

void Region::unmap() {
  if (state_ != nullptr) ::munmap(state_, kStateBytes + 4 * kRingBytes);
  state_ = nullptr;
  close_descriptor();
}

void Region::close_descriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace convoy::shm
