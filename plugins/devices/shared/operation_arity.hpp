#pragma once

#include <convoy/abi.h>
#include <convoy/operation_traits.hpp>

#include <cstdint>
#include <stdexcept>

namespace convoy {

// Throws std::invalid_argument when an operation whose number of regions is known came with another
// one.
inline void require_regions(const convoy_submission& operation) {
  const OperationTraits* const traits = find_operation_traits(operation.kind);
  const auto differs = [](std::uint64_t count, SpanCounts wanted) {
    return wanted.least == wanted.most && count != wanted.most;
  };
  if (traits != nullptr && (differs(operation.read_count, traits->reads) ||
                            differs(operation.write_count, traits->writes)))
    throw std::invalid_argument("an operation came with the wrong number of regions");
}

}  // namespace convoy
