#pragma once

#include <cstddef>
#include <cstdint>

#include "core/plan/operation.hpp"

namespace convoy::plan::check {

// Which of the elements that an operation writes depend on which of the elements that it reads.
enum class Dependence : std::uint8_t {
  kElements,  // element i of every write depends on element i of every read
  kScatters,  // element i of the reads goes to element i of all writes, put one behind the other
  kGathers,   // element i of all reads, put one behind the other, goes to element i of the writes
  kAll,       // every element read may affect every element written
  kNothing,   // only the size of an update depends on the reads
};
Dependence dependence_of(const Operation& operation);
// Returns the number of reads whose values are part of the result. Later reads only scale the
// update.
std::size_t mixed_reads(const Operation& operation);

}  // namespace convoy::plan::check
