#pragma once

#include <cstdint>
#include <optional>

#include "core/base/system_root.hpp"

namespace convoy {

// A line of /proc/meminfo in bytes: memory_field(root, "MemTotal"); nothing where it cannot be
// read.
std::optional<std::uint64_t> memory_field(const SystemRoot& root, const char* name);

// Bytes that this process may still take before the system runs out of memory, its control groups
// kill it or its own limit of addresses (ulimit -v) stops it. Empty where nothing says.
std::optional<std::uint64_t> available_memory(const SystemRoot& root);

// How much memory a process can have at most.
struct MemoryLimit {
  std::uint64_t bytes = 0;
  const char* whose = "";  // "this machine has", "the control group allows", "ulimit -v allows"
};

// The least of the machine's memory, the control groups' limit and that of the process's addresses;
// nothing if none is known.
std::optional<MemoryLimit> memory_limit(const SystemRoot& root);

}  // namespace convoy
