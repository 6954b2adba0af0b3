#include "core/base/system_refusal.hpp"

#include <filesystem>
#include <new>
#include <system_error>

namespace convoy {

std::optional<Error> refusal_by_system(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return Error(ExitCode::kUnavailable,
                 "the system gives no more memory; a smaller --batch_size, fewer devices and "
                 "larger buckets need less, and `ulimit -v` may hold a limit");
  // A system_error, too, and about a path rather than a limit.
  if (dynamic_cast<const std::filesystem::filesystem_error*>(&exception) != nullptr)
    return Error(ExitCode::kFailed, exception.what());
  if (dynamic_cast<const std::system_error*>(&exception) != nullptr)
    return Error(ExitCode::kUnavailable,
                 fmt::format("the system refuses: {}; `ulimit -u` and the control group limit "
                             "threads, `ulimit -n` files",
                             exception.what()));
  return std::nullopt;
}

}  // namespace convoy
