#include "core/base/system/system_refusal.hpp"

#include <cerrno>
#include <convoy/threads.hpp>
#include <filesystem>
#include <ios>
#include <new>
#include <string>
#include <system_error>

namespace convoy {

namespace {

constexpr const char* kMemory =
    "the system gives no more memory; a smaller --batch_size, fewer devices and larger buckets "
    "need less, and `ulimit -v` may hold a limit";
constexpr const char* kFiles = "`ulimit -n` limits open files";
constexpr const char* kSizes = "`ulimit -f` and the file system limit the size of files";

struct Limit {
  int error;  // an errno value; its text is part of the reason
  const char* advice;
};
constexpr Limit kLimits[] = {{EAGAIN, kThreadLimits},
                             {EFBIG, kSizes},
                             {EMFILE, kFiles},
                             {ENFILE, kFiles},
                             {ENOMEM, kMemory}};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The standard's own message begins with "filesystem error" and may name two paths.
std::string text_of(const std::filesystem::filesystem_error& error) {
  std::string what = error.what();
  const std::size_t begin = what.find(": ");
  const std::size_t end = what.find(": ", begin + 1);
  if (begin != std::string::npos && end != std::string::npos)
    what = what.substr(begin + 2, end - begin - 2);
  const std::filesystem::path& path = error.path1();
  return fmt::format("{}: {} ({}); check that it exists and may be used{}", path.string(),
                     error.code().message(), what,
                     path.is_relative() ? ", and that the working folder still exists" : "");
}

}  // namespace

std::string with_advice(const std::string& reason) {
  return advised(reason).value_or(reason);
}

std::optional<std::string> advised(const std::string& reason) {
  if (reason == std::bad_alloc().what()) return kMemory;
  // The loader says this if there is no room for a library.
  if (contains(reason, "failed to map segment") || contains(reason, "cannot map zero-fill pages"))
    return reason + "; " + kMemory;
  for (const Limit& limit : kLimits)
    if (contains(reason, std::generic_category().message(limit.error)))
      return reason + "; " + limit.advice;
  return std::nullopt;
}

std::string why_not_written(const std::string& reason) {
  return advised(reason).value_or(reason +
                                  "; check that the folder exists, is writable and has space left");
}

std::optional<Error> refusal_by_system(const std::exception& exception) {
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return Error(ExitCode::kUnavailable, kMemory);
  // This is a system_error as well, but about a path, not a limit.
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
    return Error(ExitCode::kFailed, text_of(*file));
  // Streams throw this, which is also a system_error, if a disk or the network to it fails while
  // they read.
  if (dynamic_cast<const std::ios_base::failure*>(&exception) != nullptr)
    return Error(
        ExitCode::kFailed,
        fmt::format("a file cannot be read to its end: {}; check its disk, or the network to it",
                    exception.what()));
  if (dynamic_cast<const std::system_error*>(&exception) != nullptr)
    return Error(ExitCode::kUnavailable,
                 fmt::format("the system refuses: {}",
                             advised(exception.what())
                                 .value_or(fmt::format("{}; {}, {}", exception.what(),
                                                       kThreadLimits, kFiles))));
  return std::nullopt;
}

Error error_of(const std::exception& exception) {
  return refusal_by_system(exception).value_or(Error(ExitCode::kFailed, exception.what()));
}

}  // namespace convoy
