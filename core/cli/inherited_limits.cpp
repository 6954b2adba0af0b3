#include "core/cli/inherited_limits.hpp"

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/error.hpp"

namespace convoy::cli {
namespace {

constexpr rlim_t kStackUnit = 1 << 10;  // the unit of `ulimit -s`

std::optional<rlimit> limit_of(__rlimit_resource what) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit;
}

// glibc gives new threads the limit at the program's start, so this sets their default stack size.
void give_threads(rlim_t bytes) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return;
  if (::pthread_attr_setstacksize(&attributes, bytes) == 0)
    ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

void settle_stack() {
  constexpr rlim_t kUsual = 8192 * kStackUnit;
  constexpr rlim_t kSmall = 2048 * kStackUnit;
  constexpr rlim_t kLeast = 256 * kStackUnit;
  std::optional<rlimit> limit = limit_of(RLIMIT_STACK);
  if (!limit || limit->rlim_cur >= kSmall) return;
  if (limit->rlim_max < kLeast)
    fail(ExitCode::kUnavailable,
         "`ulimit -Hs` allows {} KiB of stack, but convoy needs at least {} KiB: raise it",
         limit->rlim_max / kStackUnit, kLeast / kStackUnit);
  limit->rlim_cur = std::min(limit->rlim_max, kUsual);
  if (::setrlimit(RLIMIT_STACK, &*limit) == 0) give_threads(limit->rlim_cur);
}

// The shell's `ulimit -t` sets warning and end to the same second, so that no warning would come.
// This moves the warning forward.
void settle_processor_time() {
  constexpr rlim_t kLongest = 60;
  std::optional<rlimit> limit = limit_of(RLIMIT_CPU);
  if (!limit || limit->rlim_cur < limit->rlim_max || limit->rlim_max < 2) return;
  limit->rlim_cur = limit->rlim_max - std::clamp<rlim_t>(limit->rlim_max / 10, 1, kLongest);
  ::setrlimit(RLIMIT_CPU, &*limit);
}

// Each arena of malloc reserves 64 MiB, and for a moment twice as much.
void settle_memory() {
  const std::optional<rlimit> limit = limit_of(RLIMIT_AS);
  if (!limit) return;
  constexpr rlim_t kPerArena = 1 << 30;
  constexpr rlim_t kMost = 1024;
  ::mallopt(M_ARENA_MAX,
            static_cast<int>(std::clamp<rlim_t>(limit->rlim_cur / kPerArena, 1, kMost)));
}

}  // namespace

void settle_inherited_limits() {
  settle_stack();
  settle_processor_time();
  settle_memory();
}

}  // namespace convoy::cli
