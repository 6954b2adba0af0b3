#pragma once

#include <cstdint>
#include <optional>

#include "core/base/system_root.hpp"

namespace convoy {

// A line of /proc/meminfo in bytes: memory_field(root, "MemTotal").
std::optional<std::uint64_t> memory_field(const SystemRoot& root, const char* name);

// Bytes that this process may still take before the system runs out of memory, its control groups
// kill it or its own limit of addresses (ulimit -v) stops it. Empty where nothing says.
std::optional<std::uint64_t> available_memory(const SystemRoot& root);

}  // namespace convoy
