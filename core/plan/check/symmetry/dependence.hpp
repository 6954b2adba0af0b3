#pragma once

#include <cstddef>
#include <cstdint>

#include "core/plan/operation.hpp"

namespace convoy::plan::check {

// Which of the elements that an operation writes depend on which of the elements that it reads.
enum class Dependence : std::uint8_t {
  kElements,  // element i of all spans belongs together
  kScatters,  // element i of all reads, and of all writes one behind the other
  kGathers,   // the other way around
  kAll,       // every element read may affect every element written
  kNothing,   // only how large an update is depends on it
};
Dependence dependence_of(const Operation& operation);
// The number of reads whose values are part of the result. Later reads only scale the update.
std::size_t mixed_reads(const Operation& operation);

}  // namespace convoy::plan::check
