#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/plan/plan.hpp"

namespace convoy::plan {

// A plan, with the digest and the size that distinguish it from other plans.
struct PlanSketch {
  Plan plan;
  std::uint64_t digest = 0;
  std::uint64_t operations = 0;
};

// Lets a strategy write its plan twice and compares both. A plan that depends on anything but the
// cluster, the model and its options would differ between hosts. `write` is the strategy's plan
// function, `name` its name for messages. Throws Error kFailed when an operation is refused, when
// the two plans differ or when nothing is computed. cluster and arena must outlive the plan.
PlanSketch make_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                     const std::function<void(const convoy_planner&)>& write);

// The same without the second writing, for plans that are only compared with others, or are written
// again later. `operations`: about how many are expected, 0 if that is not known.
PlanSketch sketch_plan(const std::string& name, const Cluster& cluster, const ArenaMap& arena,
                       const std::function<void(const convoy_planner&)>& write,
                       std::uint64_t operations);

// The second writing of a sketched plan. Error as make_plan().
void require_same_again(const std::string& name, const PlanSketch& sketch,
                        const std::function<void(const convoy_planner&)>& write);

// Whether the strategy writes the sketched plan for this cluster, too. The cluster must have the
// same places and replicas. Error as make_plan().
bool writes_the_same(const std::string& name, const PlanSketch& sketch, const Cluster& cluster,
                     const std::function<void(const convoy_planner&)>& write);

}  // namespace convoy::plan
