#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/simulate/machine/constants.hpp"

namespace convoy::simulate {

// How long one segment's pass takes on a device that does nothing else, and where its kernels end.
// What layers compute in: f32, f32 whose products round their factors to TF32, or the device's
// 16-bit type, with half the bytes.
enum class Arithmetic : std::uint8_t { kSingle, kTf32, kHalf };

struct PassTime {
  double seconds = 0;
  std::vector<double> kernel_ends;  // ascending, the last one is `seconds`
  double flops = 0;                 // that its layers compute, two per multiply-add
  double bytes = 0;                 // that they move
};

// Per segment of the graph, forward and backward.
struct LayerTimes {
  std::vector<PassTime> forward;
  std::vector<PassTime> backward;

  double seconds() const;  // of all together
  LayerTimes scaled(double factor) const;
};

// Roofline: every layer takes the longer of its operations and its bytes at what the device reaches
// of its peaks, plus the cost of a kernel. Throws Error when a peak of the device is unknown.
LayerTimes layer_times(const Graph& graph, std::uint32_t batch, const SimulatedDevice& device,
                       Arithmetic arithmetic = Arithmetic::kSingle);

// The factor on layer times with which `step_seconds(factor)`, a simulated step that grows with it,
// takes `target` seconds: what a measured rate of one device says about its layers, when the plan
// that it was measured with costs time of its own. Returns the smallest factor tried when already
// everything else takes longer than the target.
double fit_layer_scale(const std::function<double(double factor)>& step_seconds, double target);

}  // namespace convoy::simulate
