#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/process/large_pages.hpp"
#include "core/plan/plan.hpp"

namespace convoy::plan {

// Operation `before` must be done before another one starts. `before` is in this iteration
// (distance 0) or an earlier one. Both are indices into the plan's body.
struct Dependency {
  std::uint32_t before = 0;
  std::uint32_t distance = 0;
};

// A list of dependencies for each operation of a body, all in one array: plans for many hosts have
// millions.
class DependencyLists {
 public:
  // Adds the next operation's list. `lagged` has the dependencies of relaxed reads.
  void add(std::span<const Dependency> strict, std::span<const Dependency> lagged) {
    items_.insert(items_.end(), strict.begin(), strict.end());
    items_.insert(items_.end(), lagged.begin(), lagged.end());
    ends_.push_back(items_.size());
    if (lagged.empty()) return;
    lagged_.resize(size(), 0);
    lagged_.back() = lagged.size();
  }
  void reserve(std::size_t operations) {
    constexpr std::size_t kUsual = 4;  // per operation, in plans for many hosts
    reserve_large(ends_, operations + 1);
    reserve_large(items_, kUsual * operations);
  }
  std::size_t size() const { return ends_.size() - 1; }
  std::span<const Dependency> operator[](std::size_t operation) const {
    return {items_.data() + ends_[operation], ends_[operation + 1] - ends_[operation]};
  }
  // Returns the dependencies without those of relaxed reads: the waits inside strands.
  std::span<const Dependency> strict(std::size_t operation) const {
    const std::span<const Dependency> all = (*this)[operation];
    return operation < lagged_.size() ? all.first(all.size() - lagged_[operation]) : all;
  }

 private:
  std::vector<Dependency> items_;
  std::vector<std::size_t> ends_ = {0};
  std::vector<std::size_t> lagged_;  // per operation, at the end of its list; operations behind the
                                     // last one with such dependencies have no entry
};

// Returns, for every operation of the body, the operations for which it waits in the steady state.
// B waits for an earlier A if and only if their spans overlap and one of them writes. The same rule
// across the end of the body gives the edges of distance 1. Forward and backward of one replica are
// also ordered, through its activations. Relaxed reads wait for writers max_lag iterations back, or
// for none; writers do not wait for relaxed readers. ANY_ORDER writes do not wait for each other.
DependencyLists find_dependencies(const Plan& plan);

}  // namespace convoy::plan
