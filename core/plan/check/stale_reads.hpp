#pragma once

#include <cstdint>
#include <optional>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// A plan in which some relaxed reads are stale: they see what memory held earlier.
struct StaleReads {
  Plan plan;
  std::uint32_t operation = 0;  // the first stale read, as an operation of the original plan
  std::uint32_t earlier = 0;    // the relaxed read of the same memory before it
};

// Two relaxed reads of one memory by one place may see different contents. In program order they
// see the same, so the difference vanishes. In the result, every such read except the first one of
// a period sees what the memory held when the previous period began. Returns nothing if there is no
// second read.
std::optional<StaleReads> with_stale_reads(const Plan& plan);

}  // namespace convoy::plan::check
