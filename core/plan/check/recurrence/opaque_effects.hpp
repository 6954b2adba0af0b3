#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// "topk_select (operation 12), dot (operation 40)": what made the atoms.
std::string makers_of(const Plan& plan, const ValueTable& values, const std::vector<AtomId>& atoms);

// Whether a plug-in's kernels made all of them, rather than operations such as dot.
bool made_by_calls(const Plan& plan, const ValueTable& values, const std::vector<AtomId>& atoms);

// Why nothing can be said about what these atoms hold.
std::string unknown_effect(const Plan& plan, const ValueTable& values,
                           const std::vector<AtomId>& atoms);

// The sums of states that do not change, whatever undeclared kernels write.
struct ConservedSums {
  std::optional<std::uint64_t> total;  // what they hold of a gradient for each unit of parameters,
                                       // as an element of the field; none: nothing is conserved
  bool alike = true;                   // they hold all gradients, and all alike
};
ConservedSums conserved_sums(const LinearSystem& it, std::size_t gradients, std::uint64_t replicas);

}  // namespace convoy::plan::check
