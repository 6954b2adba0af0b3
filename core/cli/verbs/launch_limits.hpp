#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace convoy::cli {

// Empty if this machine has enough cores and free memory for `tasks` tasks of convoy launch.
// Otherwise the reason, with the arithmetic and what to do. Unknown memory refuses no number.
std::string too_many_tasks(std::uint32_t tasks, std::size_t cores,
                           std::optional<std::uint64_t> memory);

}  // namespace convoy::cli
