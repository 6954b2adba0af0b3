#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/simulate/machine/constants.hpp"

namespace convoy::simulate {

// The arithmetic that layers compute in: f32, f32 with the factors of products rounded to TF32, or
// the device's 16-bit type, which halves the bytes.
enum class Arithmetic : std::uint8_t { kSingle, kTf32, kHalf };

// How long a pass over one segment takes on a device that does nothing else, and when its kernels
// end.
struct PassTime {
  double seconds = 0;
  std::vector<double> kernel_ends;  // ascending, the last one is `seconds`
  double flops = 0;                 // operations of its layers, two per multiply-add
  double bytes = 0;                 // bytes that its layers read and write
};

// The times of every segment of the graph, forward and backward.
struct LayerTimes {
  std::vector<PassTime> forward;
  std::vector<PassTime> backward;

  double seconds() const;  // of all segments, both passes
  LayerTimes scaled(double factor) const;
};

// Computes times by the roofline model: every layer takes as long as its operations or its bytes,
// whichever take longer at the rates that the device reaches, and the start of a kernel. Throws
// Error when a peak rate of the device is unknown.
LayerTimes layer_times(const graph::Graph& graph, std::uint32_t batch,
                       const SimulatedDevice& device, Arithmetic arithmetic = Arithmetic::kSingle);

// Finds the factor on layer times with which a simulated step takes `target` seconds.
// `step_seconds(factor)` is the time of that step and grows with the factor. The factor tells how
// fast the layers of a measured device are, apart from the time that the rest of the plan takes. If
// the rest alone takes longer than the target, returns the smallest factor tried.
double fit_layer_scale(const std::function<double(double factor)>& step_seconds, double target);

}  // namespace convoy::simulate
