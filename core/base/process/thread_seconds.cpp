#include "core/base/process/thread_seconds.hpp"

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace convoy {
namespace {

std::optional<ThreadSeconds> read_seconds(const std::filesystem::path& thread) {
  std::ifstream file(thread / "schedstat");
  double used = 0;  // nanoseconds, like `waited`
  double waited = 0;
  if (!(file >> used >> waited)) return std::nullopt;
  return ThreadSeconds{1e-9 * used, 1e-9 * waited};
}

}  // namespace

ThreadSeconds seconds_of_this_thread() {
  return read_seconds("/proc/thread-self").value_or(ThreadSeconds{});
}

std::map<std::string, ThreadSeconds> seconds_of_threads(pid_t process) {
  const std::filesystem::path folder = process == 0 ? "self" : std::to_string(process);
  std::map<std::string, ThreadSeconds> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator thread("/proc" / folder / "task", error), end;
       !error && thread != end; thread.increment(error))
    if (const auto seconds = read_seconds(thread->path()))
      threads[thread->path().filename()] = *seconds;
  return threads;
}

}  // namespace convoy
