#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace convoy::cli {

// Returns an empty text if this machine has enough cores and free memory for `tasks` tasks of
// convoy launch. Otherwise returns the reason, with the arithmetic and what to do. If the free
// memory is unknown, it does not limit the number.
std::string too_many_tasks(std::uint32_t tasks, std::size_t cores,
                           std::optional<std::uint64_t> memory);

// Returns the least number of threads of a task of convoy launch, its first thread included.
std::uint64_t least_threads_of_task();

// Returns an empty text if the system gives `tasks` tasks of convoy launch the threads that each
// needs at least. All are tried at once, because tasks share a limit that is common to them.
// Otherwise returns the reason, with the arithmetic and what to do. startable: as
// threads_for_processes.
std::string too_few_threads(std::uint32_t tasks,
                            const std::function<std::uint64_t(std::uint64_t)>& startable);

}  // namespace convoy::cli
