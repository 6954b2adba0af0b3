#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace convoy::cli {

// Empty if this machine has enough cores and free memory for `tasks` tasks of convoy launch.
// Otherwise the reason, with the arithmetic and what to do. Unknown memory refuses no number.
std::string too_many_tasks(std::uint32_t tasks, std::size_t cores,
                           std::optional<std::uint64_t> memory);

// Threads that each task of convoy launch needs at least, its first one included.
std::uint64_t least_threads_of_task();

// Empty if the system gives `tasks` tasks of convoy launch the threads that each needs at least,
// all at once: they take each other's where a limit is of all of them. Otherwise the reason, with
// the arithmetic and what to do. startable: as threads_for_processes.
std::string too_few_threads(std::uint32_t tasks,
                            const std::function<std::uint64_t(std::uint64_t)>& startable);

}  // namespace convoy::cli
