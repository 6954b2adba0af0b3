#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace convoy {

// Why this machine is not good for so many tasks of convoy launch: the arithmetic of its cores and
// of the bytes that they may take, and what to do; empty when it is. Unknown memory refuses
// nothing.
std::string too_many_tasks(std::uint32_t tasks, std::size_t cores,
                           std::optional<std::uint64_t> memory);

}  // namespace convoy
