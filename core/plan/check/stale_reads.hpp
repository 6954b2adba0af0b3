#pragma once

#include <cstdint>
#include <optional>

#include "core/plan/plan.hpp"

namespace convoy::plan::check {

// A plan in which some relaxed reads are stale: they see what memory held earlier.
struct StaleReads {
  Plan plan;
  std::uint32_t operation = 0;  // of the original plan: the first one that does
  std::uint32_t earlier = 0;    // the relaxed read of the same memory before it
};

// Two relaxed reads of one memory by one place may see different contents, but in program order
// they see the same, so that the difference vanishes. In the result, every such read but the first
// one of a period sees what the memory held when the period before began. Nothing where there is no
// second read.
std::optional<StaleReads> with_stale_reads(const Plan& plan);

}  // namespace convoy::plan::check
