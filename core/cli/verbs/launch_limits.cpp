#include "core/cli/verbs/launch_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/process/process_limits.hpp"
#include "core/base/text/counted.hpp"
#include "core/network/wire_threads.hpp"

namespace convoy::cli {
namespace {

// Tasks take turns on a core. This many are enough to try any layout of a cluster.
constexpr std::uint64_t kTasksPerCore = 16;
constexpr std::uint64_t kAlwaysFine = 32;
// Private memory of a task with a small model, measured with lenet, servers included.
constexpr std::uint64_t kTaskBytes = std::uint64_t{40} << 20;

constexpr double kGiB = 1 << 30;

// More threads would exceed the number of memory mappings that a process may have.
constexpr std::uint64_t kMostThreadsTried = 16384;

}  // namespace

std::string too_many_tasks(std::uint32_t tasks, std::size_t cores,
                           std::optional<std::uint64_t> memory) {
  const std::uint64_t by_cores = std::max(kAlwaysFine, kTasksPerCore * cores);
  const std::uint64_t by_memory = memory ? *memory / kTaskBytes : tasks;
  const std::uint64_t most = std::min(by_cores, by_memory);
  if (tasks <= most) return {};
  std::string text = fmt::format("{} tasks on {}", tasks, counted(cores, "core"));
  if (by_cores < tasks)
    text += fmt::format(" are {:.0f} per core",
                        static_cast<double>(tasks) / static_cast<double>(cores));
  if (by_memory < tasks)
    text +=
        fmt::format("{} take at least {:.1f} GiB ({} MiB each), of which {:.1f} GiB are free",
                    by_cores < tasks ? ", and" : "", static_cast<double>(tasks * kTaskBytes) / kGiB,
                    kTaskBytes >> 20, static_cast<double>(*memory) / kGiB);
  return text + fmt::format(": start {} at most, or give --oversubscribe to start them anyway",
                            std::max<std::uint64_t>(most, 1));
}

std::uint64_t least_threads_of_task() {
  constexpr std::uint64_t kOthers = 3;  // the main thread, the device's and the transports'
  return network::wire_threads() + kOthers;
}

std::string too_few_threads(std::uint32_t tasks,
                            const std::function<std::uint64_t(std::uint64_t)>& startable) {
  const std::uint64_t each = least_threads_of_task();
  const std::uint64_t least = tasks * each;
  const std::uint64_t tried = std::min(least, kMostThreadsTried);
  const std::uint64_t given = startable(tried);
  if (given >= tried) return {};
  return fmt::format(
      "{} of launch {} at least {} threads, {} each, but the system allows {}; {}: raise the "
      "limit, start fewer tasks, or give --oversubscribe to start them anyway",
      counted(tasks, "task"), tasks == 1 ? "needs" : "need", least, each, given, thread_limits());
}

}  // namespace convoy::cli
