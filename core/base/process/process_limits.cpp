#include "core/base/process/process_limits.hpp"

#include <sys/resource.h>

#include <convoy/open_files.hpp>
#include <convoy/threads.hpp>
#include <stdexcept>

#include "core/base/error.hpp"

namespace convoy {
namespace {

// Files that a process opens meanwhile: libraries, records, outputs, and files that libraries open
// themselves.
constexpr std::uint64_t kOthers = 16;

void raise_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Calls a check of the SDK, which throws runtime_error as plug-ins do, and turns that into Error
// (kUnavailable).
template <typename Check>
void refuse_unless(Check check) {
  try {
    check();
  } catch (const std::runtime_error& error) {
    fail(ExitCode::kUnavailable, "{}", error.what());
  }
}

}  // namespace

void prepare_to_open(std::uint64_t more, const std::string& what) {
  raise_limit();
  refuse_unless([&] { require_open_files(more + kOthers, what); });
}

void prepare_to_start(std::uint64_t more, const std::string& what) {
  refuse_unless([&] { require_threads(more, what); });
}

std::uint64_t threads_for_processes(std::uint64_t most) {
  constexpr std::size_t kStackBytes = 256 << 10;
  return WaitingThreads(most, kStackBytes).count();
}

const char* thread_limits() {
  return kThreadLimits;
}

}  // namespace convoy
