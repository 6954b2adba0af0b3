#pragma once

#include <vector>

#include "core/plan/arena_map.hpp"

namespace convoy::plan {

// Updates that together cover every element once, in arena order; one norm is computed over their
// gradients.
using UpdateDomain = std::vector<const Operation*>;

// Groups the updates of one step: all of them in one group if the places share the variables, else
// one group per buffer (replicas that update their own copies). Error kUsage when neither way
// covers the arena.
std::vector<UpdateDomain> make_domains(const ArenaMap& arena,
                                       const std::vector<const Operation*>& updates);

}  // namespace convoy::plan
