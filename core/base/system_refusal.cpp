#include "core/base/system_refusal.hpp"

#include <filesystem>
#include <new>
#include <string>
#include <system_error>

namespace convoy {

namespace {

// The standard's own text begins with "filesystem error" and may name two paths.
std::string text_of(const std::filesystem::filesystem_error& error) {
  std::string what = error.what();
  const std::size_t begin = what.find(": ");
  const std::size_t end = what.find(": ", begin + 1);
  if (begin != std::string::npos && end != std::string::npos)
    what = what.substr(begin + 2, end - begin - 2);
  const std::filesystem::path& path = error.path1();
  return fmt::format("{}: {} ({}); look whether it is there and may be used{}", path.string(),
                     error.code().message(), what,
                     path.is_relative() ? ", and whether the working folder still is" : "");
}

}  // namespace

std::optional<Error> refusal_by_system(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return Error(ExitCode::kUnavailable,
                 "the system gives no more memory; a smaller --batch_size, fewer devices and "
                 "larger buckets need less, and `ulimit -v` may hold a limit");
  // A system_error, too, and about a path rather than a limit.
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
    return Error(ExitCode::kFailed, text_of(*file));
  if (dynamic_cast<const std::system_error*>(&exception) != nullptr)
    return Error(ExitCode::kUnavailable,
                 fmt::format("the system refuses: {}; `ulimit -u` and the control group limit "
                             "threads, `ulimit -n` files",
                             exception.what()));
  return std::nullopt;
}

}  // namespace convoy
