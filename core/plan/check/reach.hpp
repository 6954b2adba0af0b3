#pragma once

#include <cstddef>
#include <cstdint>

#include "core/plan/operation.hpp"

namespace convoy::check {

// How an operation reaches from the elements that it reads to those that it writes.
enum class Reach : std::uint8_t {
  kElements,  // element i of all spans belongs together
  kScatters,  // element i of all reads, and of all writes one behind the other
  kGathers,   // the other way around
  kAll,       // whatever it reads may get into whatever it writes
  kNothing,   // only how large an update is depends on it
};
Reach reach_of(const Operation& operation);
// Reads that become a part of what is written; those behind them say how large an update is.
std::size_t mixed_reads(const Operation& operation);

}  // namespace convoy::check
