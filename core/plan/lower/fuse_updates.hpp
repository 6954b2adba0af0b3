#pragma once

#include <optional>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// Fuses a sum (or all_reduce) of gradients, the copies that distribute it and the updates that
// apply it into one operation: an apply of several gradients to all these parameters, which reads
// the memory only once. Conditions: every device involved addresses all of that memory, the sum
// keeps its order from left to right, no operation comes in between, and no other operation reads
// the sum. The parameters get the same bits; the gradients keep the values that backward wrote.
// Takes and returns a logical plan; operations keep their sources. Only for devices that join
// updates (CONVOY_DEVICE_JOINS_UPDATES). Returns nothing if there is nothing to fuse, so that no
// copy of the plan's operations, which may be a gigabyte, is made. `cluster` is as in lower().
// `is_stage` says that later stages read the memory of this one.
std::optional<Plan> fuse_updates(const Plan& logical, const Cluster& cluster, bool is_stage);

}  // namespace convoy::plan
