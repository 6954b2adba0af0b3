#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/system/system_root.hpp"

namespace convoy {

// Returns the bytes that the machine has available without swapping. Cached files count as
// available, those of ZFS included, because they give way. Empty if /proc/meminfo does not say.
std::optional<std::uint64_t> machines_available_memory(const SystemRoot& root);

// Returns the bytes that this process may still allocate before the system runs out of memory, its
// control groups kill it or its limit of address space (ulimit -v) stops it. Empty if no limit is
// known.
std::optional<std::uint64_t> available_memory(const SystemRoot& root);

// The memory that a process can have.
struct MemoryLimit {
  std::uint64_t bytes = 0;  // free bytes; cached files count as free
  std::uint64_t total = 0;
  const char* whose = "";  // "this machine has", "the control group allows", "ulimit -v allows"
};

// Returns the tightest of three limits: the machine's memory, the limit of the control groups and
// the limit of the process's address space. Empty if none is known. If there is free swap, memory
// of other processes counts as free: that of the machine, or that of the control group as far as
// the group may swap.
std::optional<MemoryLimit> memory_limit(const SystemRoot& root);

// A computed need in words: "1.1 GiB". The number may be too large for an integer.
std::string need_text(double bytes);

// Returns a text such as "this machine has 15.6 GiB, of which 2.0 GiB are free".
std::string limit_text(const MemoryLimit& limit);

}  // namespace convoy
