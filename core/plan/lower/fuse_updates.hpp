#pragma once

#include "core/plan/plan.hpp"

namespace convoy {

// Makes one operation out of a sum (or all_reduce) of gradients, the copies that spread it and the
// updates that apply it: an apply of several gradients to all those parameters, which goes over
// memory once. Done where every device involved addresses all of that memory, the sum goes from
// left to right as before, nothing comes between and nothing else ever sees the sum: parameters
// keep their bits, gradients keep what backward wrote. Takes and gives a logical plan; operations
// keep their sources. Only for devices that join updates (CONVOY_DEVICE_JOINS_UPDATES).
Plan fuse_updates(const Plan& logical, bool is_stage = false);

}  // namespace convoy
