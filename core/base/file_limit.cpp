#include "core/base/file_limit.hpp"

#include <sys/resource.h>

#include <convoy/open_files.hpp>
#include <stdexcept>

#include "core/base/error.hpp"

namespace convoy {
namespace {

// What a process opens meanwhile: libraries, records, outputs, and what libraries open themselves.
constexpr std::uint64_t kOthers = 16;

void raise_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void prepare_to_open(std::uint64_t more, const std::string& what) {
  raise_limit();
  try {
    require_open_files(more + kOthers, what);
  } catch (const std::runtime_error& error) {
    fail(ExitCode::kUnavailable, "{}", error.what());
  }
}

}  // namespace convoy
