#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Returns the operations that made the atoms: "topk_select (operation 12), dot (operation 40)".
std::string makers_of(const Plan& plan, const ValueTable& values, const std::vector<AtomId>& atoms);

// Whether kernels of a plug-in made all of the atoms, rather than operations such as dot.
bool made_by_calls(const Plan& plan, const ValueTable& values, const std::vector<AtomId>& atoms);

// Returns why the contents of these atoms are unknown.
std::string unknown_effect(const Plan& plan, const ValueTable& values,
                           const std::vector<AtomId>& atoms);

// The sums of states that stay constant, whatever undeclared kernels write.
struct ConservedSums {
  std::optional<std::uint64_t> total;  // how much of a gradient they contain per unit of
                                       // parameters, as an element of the field; none: nothing is
                                       // conserved
  bool alike = true;                   // they contain all gradients, and all equally
};
ConservedSums conserved_sums(const LinearSystem& it, std::size_t gradients, std::uint64_t replicas);

}  // namespace convoy::plan::check
