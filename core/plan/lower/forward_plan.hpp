#pragma once

#include "core/plan/plan.hpp"

namespace convoy {

// The plan of inference, which no strategy has a part in: every replica runs the whole model
// forward on parameters of its own, and nothing is ever updated. cluster and arena must outlive the
// plan.
Plan make_forward_plan(const Cluster& cluster, const ArenaMap& arena);

}  // namespace convoy
