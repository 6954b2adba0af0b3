#pragma once

#include <cstdint>
#include <optional>

#include "core/base/system_root.hpp"

namespace convoy {

// Of this machine, in bytes; nothing where /proc/meminfo cannot be read.
std::optional<std::uint64_t> memory_total(const SystemRoot& root);

// How much memory a process can have at most.
struct MemoryLimit {
  std::uint64_t bytes = 0;
  const char* whose = "";  // "this machine has", "the control group allows"
};

// The smaller one of the machine's memory and the control groups' limit; nothing if neither is
// known.
std::optional<MemoryLimit> memory_limit(const SystemRoot& root);

}  // namespace convoy
