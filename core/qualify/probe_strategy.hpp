#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/plugin/strategy_plugin.hpp"

namespace convoy::qualify {

// What a step does besides computing. Places are those of the cluster, by number.
struct ProbedStep {
  // Copies between two places, all of them at once.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> copies = {};
  bool all_reduces = false;    // a span of every replica, once
  std::uint64_t elements = 1;  // f32, of every copy and of that span
  bool trains = false;         // sums gradients over the replicas and updates: a usual step
};

// A strategy that writes such steps. Measurements thus go the way of every plan: lowered, executed
// and simulated.
std::unique_ptr<StrategyPlugin> probe_strategy(const ProbedStep& step);

}  // namespace convoy::qualify
