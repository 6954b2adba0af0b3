#include "core/plan/check/layer_order.hpp"

#include <fmt/format.h>

#include <string>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

// How far a replica's compute has come.
struct Progress {
  std::uint64_t forward = 0;   // layers before this one have run
  std::uint64_t backward = 0;  // layers before this one still need their backward
};

std::uint64_t end_of(const Operation& it) {
  return std::uint64_t{it.first_layer} + it.layer_count;
}

bool fits(const Operation& it, const Progress& now) {
  if (it.kind == OperationKind::kForward)
    return it.first_layer == 0 || it.first_layer == now.forward;
  return end_of(it) == now.backward;
}

std::string problem_of(const Operation& it, const Progress& now) {
  if (it.kind == OperationKind::kForward)
    return fmt::format("when layers [0, {}) have run", now.forward);
  if (now.backward == 0)
    return "although no forward has run since the last backward, which used up what it had kept";
  return fmt::format(
      "when layers [0, {}) are to come: it runs every layer once, from the last to the first",
      now.backward);
}

Finding out_of_order(const Plan& plan, const Operation& it, const Progress& now) {
  const bool again = it.kind == OperationKind::kBackward && end_of(it) > now.backward;
  const std::string text =
      fmt::format("replica {}: {} runs layers [{}, {}) {}", it.replica, operation_name(it.kind),
                  it.first_layer, end_of(it), problem_of(it, now));
  return finding_at(plan, again ? FindingKind::kDoubled : FindingKind::kMissing, it.id, it.replica,
                    {0, plan.arena->elements}, text);
}

}  // namespace

std::vector<Finding> find_layers_out_of_order(const Plan& plan) {
  std::vector<Finding> findings;
  std::vector<Progress> of(plan.cluster->replicas());
  // The body is run twice, because it may begin in the middle of a compute.
  for (const bool counts : {false, true})
    for (const Operation& it : plan.body) {
      if (!is_compute(it.kind)) continue;
      Progress& now = of[it.replica];
      if (counts && !fits(it, now)) findings.push_back(out_of_order(plan, it, now));
      if (it.kind == OperationKind::kForward)
        now.forward = now.backward = end_of(it);
      else
        now.backward = it.first_layer;
    }
  return findings;
}

}  // namespace convoy::plan::check
