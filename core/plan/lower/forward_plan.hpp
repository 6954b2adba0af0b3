#pragma once

#include "core/plan/plan.hpp"

namespace convoy::plan {

// The plan of inference, without a strategy: every replica runs the whole model forward on its own
// parameters, without updates. cluster and arena must outlive the plan.
Plan make_forward_plan(const Cluster& cluster, const ArenaMap& arena);

}  // namespace convoy::plan
