#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/plugin/strategy_plugin.hpp"

namespace convoy::qualify {

// The operations of a step besides its compute. Places are numbers in the cluster.
struct ProbedStep {
  // Copies between two places, all at the same time.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies = {};
  bool all_reduces = false;    // reduces a span of every replica, once
  std::uint64_t elements = 1;  // f32 elements of every copy and of that span
  bool trains = false;         // sums gradients over the replicas and updates, as a usual step does
};

// Makes a strategy that writes such steps. So measurements are lowered, executed and simulated like
// every plan.
std::unique_ptr<plugin::StrategyPlugin> probe_strategy(const ProbedStep& step);

}  // namespace convoy::qualify
