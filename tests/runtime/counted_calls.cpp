// Functions of the C library and of oneDNN, in front of the real ones: a program's own definitions
// come first for every library that is loaded into it.
#include "tests/runtime/counted_calls.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstddef>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): glibc's names of the
// real ones.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace convoy::testing {
namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> locks{0};
thread_local int inside_library = 0;

void count(std::atomic<std::int64_t>& calls) {
  if (counting.load(std::memory_order_relaxed) && inside_library == 0)
    calls.fetch_add(1, std::memory_order_relaxed);
}

template <typename Function>
Function* real(const char* library, const char* name) {
  void* handle = library == nullptr ? RTLD_NEXT : dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
  return reinterpret_cast<Function*>(dlsym(handle, name));
}

}  // namespace

CallCounter::CallCounter() {
  allocations.store(0);
  locks.store(0);
  counting.store(true);
}

CallCounter::~CallCounter() {
  counting.store(false);
}

CallCounts CallCounter::counts() const {
  return {allocations.load(), locks.load()};
}

}  // namespace convoy::testing

using convoy::testing::allocations;
using convoy::testing::count;
using convoy::testing::inside_library;
using convoy::testing::locks;
using convoy::testing::real;

extern "C" {

void* malloc(std::size_t size) noexcept {
  count(allocations);
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
  count(allocations);
  return __libc_calloc(number, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
  count(allocations);
  return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  count(allocations);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  count(allocations);
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? 12 : 0;  // ENOMEM
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static int (*const kLock)(pthread_mutex_t*) =
      real<int(pthread_mutex_t*)>(nullptr, "pthread_mutex_lock");
  count(locks);
  return kLock(mutex);
}

int dnnl_primitive_execute(const void* primitive, void* stream, int number, const void* arguments) {
  using Execute = int(const void*, void*, int, const void*);
  static Execute* const kExecute = real<Execute>("libdnnl.so.2", "dnnl_primitive_execute");
  ++inside_library;
  const int status = kExecute(primitive, stream, number, arguments);
  --inside_library;
  return status;
}

}  // extern "C"
