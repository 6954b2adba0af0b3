#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/operation.hpp"
#include "core/simulate/collectives/collective_group.hpp"

namespace convoy::simulate {

// The traffic of an algorithm for each byte of the whole span, and its number of consecutive steps.
struct CollectivePattern {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kRing;
  std::vector<LinkShare> loads;
  bool is_all_reduce = true;
  std::uint32_t channels = 1;
  double passes = 1;         // rings: how often the span passes a device's links
  double local_steps = 0;    // within hosts
  double network_steps = 0;  // between hosts
};

// Returns the patterns that a group can use for an operation, the ring first. Rings serve all
// kinds; their channels come from find_rings or, between hosts, from find_chains, one per network
// card. The other patterns serve all_reduce. A tree is a chain within each host and a double binary
// tree between hosts. In the NVSwitch, every device sends its data and receives the sum that the
// switch makes; between hosts, double trees carry the part of each device. With rails, hosts reduce
// parts, exchange them in rings over the hosts, and gather them. In the network, its switches
// reduce these parts.
std::vector<CollectivePattern> collective_patterns(CollectiveGroup& group,
                                                   const CollectiveLibrary& library,
                                                   plan::OperationKind kind, bool network_reduces);

}  // namespace convoy::simulate
