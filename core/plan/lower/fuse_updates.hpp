#pragma once

#include "core/plan/plan.hpp"

namespace convoy {

// Fuses a sum (or all_reduce) of gradients, the copies that distribute it and the updates that
// apply it into one operation: an apply of several gradients to all these parameters, which reads
// the memory only once. Conditions: every device involved addresses all of that memory, the sum
// keeps its order from left to right, no operation comes in between, and no other operation reads
// the sum. The parameters get the same bits; the gradients keep the values that backward wrote.
// Takes and gives a logical plan; operations keep their sources. Only for devices that join updates
// (CONVOY_DEVICE_JOINS_UPDATES).
Plan fuse_updates(const Plan& logical, bool is_stage = false);

// Whether there are sums that may be joined: without any, the plan stays as it is, and neither a
// copy nor an index of its operations is worth making.
bool has_sums_to_fuse(const Plan& logical);

}  // namespace convoy
