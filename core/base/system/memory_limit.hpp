#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/system/system_root.hpp"

namespace convoy {

// Bytes that the machine has left without swapping: cached files, ZFS's too, give way. Nothing
// where /proc/meminfo does not say.
std::optional<std::uint64_t> machines_available_memory(const SystemRoot& root);

// Bytes that this process may still take before the system runs out of memory, its control groups
// kill it or its own limit of addresses (ulimit -v) stops it. Empty where nothing says.
std::optional<std::uint64_t> available_memory(const SystemRoot& root);

// How much memory a process can have.
struct MemoryLimit {
  std::uint64_t bytes = 0;  // free bytes; cached files count as free
  std::uint64_t total = 0;
  const char* whose = "";  // "this machine has", "the control group allows", "ulimit -v allows"
};

// The tightest of three limits: the machine's memory, the control groups' limit and the limit of
// the process's addresses; nothing if none is known. If there is room to swap, memory of other
// processes counts as free: of the machine's, or of the control group's as far as that allows swap.
std::optional<MemoryLimit> memory_limit(const SystemRoot& root);

// A computed need in words, however large: "1.1 GiB".
std::string need_text(double bytes);

// "this machine has 15.6 GiB, of which 2.0 GiB are free".
std::string limit_text(const MemoryLimit& limit);

}  // namespace convoy
