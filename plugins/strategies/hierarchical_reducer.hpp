#pragma once

#include <convoy/planner.hpp>

#include <cstdint>
#include <string>

#include "gradient_reducers.hpp"

namespace convoy_strategies {

// The two devices that sum a pack, one in each half of the devices. The first one gets the total.
struct Bridge {
  std::uint32_t first;
  std::uint32_t second;
};

// Devices [0, half) are the lower half. It is the larger one when the number of devices is odd.
inline std::uint32_t lower_half(std::uint32_t devices) {
  return (devices + 1) / 2;
}

// Uses every device in turn, with its counterpart in the other half.
inline Bridge bridge_in_turn(std::uint32_t devices, std::size_t index) {
  const std::uint32_t half = lower_half(devices);
  const auto first = static_cast<std::uint32_t>(index % devices);
  return {first, first < half ? half + first % (devices - half) : first - half};
}

// The pairs with the fastest links between the halves of Google's machines with 8 V100.
inline Bridge bridge_of_gcp_v100(std::size_t index) {
  constexpr Bridge kBridges[] = {{0, 5}, {2, 7}, {5, 0}, {7, 2}};
  return kBridges[index % 4];
}

// Each of the bridge's two devices sums its half, and they exchange the sums. Every device copies
// the total from the bridge device in its half.
inline void reduce_over_bridge(convoy::Planner& p, const Spans& gradients, Bridge bridge) {
  const std::uint32_t half = lower_half(p.replica_count());
  const auto middle = gradients.begin() + half;
  Spans own(gradients.begin(), middle);
  Spans other(middle, gradients.end());
  if (bridge.first >= half) own.swap(other);
  const std::uint64_t count = gradients.front().count;
  const convoy::Buffer total = p.scratch(device(p, bridge.first), count);
  const convoy::Buffer partial = p.scratch(device(p, bridge.second), count);
  p.sum(total, own);
  p.sum(partial, other);
  p.add(total, total, partial);
  p.copy(partial, total);
  for (const convoy::Span& gradient : own) p.copy(gradient, total);
  for (const convoy::Span& gradient : other) p.copy(gradient, partial);
}

inline Reducer hierarchical_reducer(const convoy::Planner& p, const std::string& topology) {
  const std::uint32_t devices = p.replica_count();
  if (devices < 2)
    p.refuse(
        "hierarchical_copy needs at least 2 devices, here is 1: leave it out, or use more "
        "devices");
  if (topology != "gcp_v100")
    return [devices](convoy::Planner& planner, const Spans& gradients, std::size_t index) {
      reduce_over_bridge(planner, gradients, bridge_in_turn(devices, index));
    };
  if (devices != 8)
    p.refuse("network_topology=gcp_v100 is for exactly 8 devices, here are " +
             std::to_string(devices) + ": use network_topology=dgx1, which takes any number");
  return [](convoy::Planner& planner, const Spans& gradients, std::size_t index) {
    reduce_over_bridge(planner, gradients, bridge_of_gcp_v100(index));
  };
}

}  // namespace convoy_strategies
