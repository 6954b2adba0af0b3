#pragma once

#include <functional>
#include <string>

#include "core/plan/plan.hpp"

namespace convoy {

// Lets a strategy write its plan twice and compares both. A plan that depends on anything but the
// cluster, the model and its options would differ between hosts. `write` is the strategy's plan
// function, `name` its name for messages. Throws Error kFailed when an operation is refused, when
// the two plans differ or when nothing is computed. cluster and arena must outlive the plan.
Plan make_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
               const std::function<void(const convoy_planner&)>& write);

// The same without the second writing, for plans that are only compared with others. The chosen one
// is written again by make_plan.
Plan sketch_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                 const std::function<void(const convoy_planner&)>& write);

}  // namespace convoy
