#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/schedule/dependencies.hpp"

namespace convoy::plan {

// A relaxed read of elements that are only written in any order. It waits until the first `ahead`
// writers of its series have ended max_lag iterations ago, and all writers in the iterations before
// that.
struct LaggedRead {
  std::uint32_t reader = 0;  // index into the plan's body
  std::uint32_t series = 0;
  std::uint32_t ahead = 0;  // the number of writers that come before the reader in the body
  std::uint32_t max_lag = 0;
};

// The result of find_dependencies(), with shared lists. If every worker waits for all workers, each
// pair of them has a dependency. Such dependencies are not listed one by one: the readers share one
// list of writers.
struct SharedDependencies {
  static constexpr std::uint64_t kLeastLag = 2;  // the least max_lag of a shared dependency

  DependencyLists lists;                           // all dependencies except lagged reads
  std::vector<std::vector<std::uint32_t>> series;  // the writers of the same elements, in order
  std::vector<LaggedRead> lagged;                  // by reader
};

SharedDependencies find_shared_dependencies(const Plan& plan);

}  // namespace convoy::plan
