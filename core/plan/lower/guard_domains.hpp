#pragma once

#include <vector>

#include "core/plan/arena_map.hpp"

namespace convoy {

// Updates that together cover every element once, in arena order: the gradients that one norm is
// of.
using UpdateDomain = std::vector<const Operation*>;

// Groups the updates of one step: all of them when the places share the variables among themselves,
// else those of one buffer each (replicas that update copies of their own). Error kUsage when
// neither way covers the arena.
std::vector<UpdateDomain> make_domains(const ArenaMap& arena,
                                       const std::vector<const Operation*>& updates);

}  // namespace convoy
