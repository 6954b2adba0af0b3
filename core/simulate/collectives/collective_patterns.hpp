#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/operation.hpp"
#include "core/simulate/collectives/collective_group.hpp"

namespace convoy::simulate {

// What an algorithm sends, per byte of the whole span, and how many steps come one after another.
struct CollectivePattern {
  CollectiveAlgorithm algorithm = CollectiveAlgorithm::kRing;
  std::vector<LinkShare> loads;
  std::uint32_t channels = 1;
  double passes = 1;         // of the span over a device's links, of rings
  double local_steps = 0;    // within hosts
  double network_steps = 0;  // between hosts
};

// The patterns that a group can use for an operation, ring first. Ring: all kinds; channels as
// find_rings or, between hosts, find_chains has them, one per network card. Tree (all_reduce): a
// chain within each host, a double binary tree between hosts. In the NVSwitch (all_reduce): every
// device sends what it has and receives the sum, which the switch makes; double trees between
// hosts for each device's part. Rails (all_reduce): parts reduced within hosts, exchanged in rings
// over the hosts, gathered. In the network (all_reduce): the same with the parts reduced by its
// switches.
std::vector<CollectivePattern> collective_patterns(CollectiveGroup& group,
                                                   const CollectiveLibrary& library,
                                                   OperationKind kind, bool network_reduces);

}  // namespace convoy::simulate
