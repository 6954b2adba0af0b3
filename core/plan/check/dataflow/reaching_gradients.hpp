#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// The gradients that reach a value through undeclared kernels, and how often they count if kernels
// keep the scale of their reads.
struct ReachingSet {
  using Computes = std::map<std::uint64_t, Weight>;  // the newest gradients, by compute
  std::map<std::uint32_t, Computes> gradients;       // per replica
  bool parameters = false;                           // parameters reach it, too
  std::set<AtomId> applies;                          // the nearest updates that reach it
  std::uint32_t operation = CONVOY_NONE;             // the call of the kernel
  // The operation that makes or reads a compressor's message as if it were plain values. Its result
  // does not even have the scale of its input.
  std::uint32_t misread = CONVOY_NONE;
};

// Follows gradients through undeclared kernels, as reaching definitions do with assignments. Every
// value is examined once.
class ReachingGradients {
 public:
  explicit ReachingGradients(const ValueTable& values) : values_(values) {}

  const ReachingSet& of_atom(AtomId opaque);
  // The gradients in a sum, with or without kernels.
  ReachingSet of_value(ValueId value);

 private:
  ReachingSet of_known_inputs(AtomId opaque);
  ReachingSet sum(ValueId value) const;

  const ValueTable& values_;
  std::map<AtomId, ReachingSet> known_;
};

}  // namespace convoy::plan::check
