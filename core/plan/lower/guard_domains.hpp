#pragma once

#include <vector>

#include "core/plan/arena_map.hpp"

namespace convoy::plan {

// Updates that together cover every variable once, in arena order. One norm is computed over all
// their gradients. An update may be part of several such groups, whose norms are the same.
using UpdateDomain = std::vector<const Operation*>;

// Groups the updates of one step. If the places share the variables, all updates form one group;
// else each buffer has a group (replicas that update their own copies), to which the updates belong
// whose elements only one place updates. Error kUsage when neither way covers the arena.
// replicas_agree: the gradients of all buffers' updates are the same; else no such update may be
// shared, because its group would have another norm at each place.
std::vector<UpdateDomain> make_domains(const ArenaMap& arena,
                                       const std::vector<const Operation*>& updates,
                                       bool replicas_agree);

}  // namespace convoy::plan
