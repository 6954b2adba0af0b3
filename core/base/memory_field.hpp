#pragma once

#include <cstdint>
#include <optional>

#include "core/base/system_root.hpp"

namespace convoy {

// A line of /proc/meminfo in bytes: memory_field(root, "MemTotal"); nothing where it cannot be
// read.
std::optional<std::uint64_t> memory_field(const SystemRoot& root, const char* name);

}  // namespace convoy
