#pragma once

#include <cstdint>
#include <vector>

#include "core/simulate/layers/layer_shape.hpp"
#include "core/simulate/layers/tile_side.hpp"

namespace convoy::simulate {

// How long one pass of a layer took on a device.
struct LayerSample {
  LayerShape shape;
  convoy_pass pass = CONVOY_PASS_FORWARD;
  graph::LayerWork work;
  double seconds = 0;  // 0: the kernel of another layer computes it, too
};

// How many times faster operations and bytes go in another arithmetic than that of the samples.
struct RateGain {
  double flops = 1;
  double bytes = 1;
};

// The times of layers on a measured device. A layer that was among the samples takes its measured
// time. Another layer is as many times slower than at the device's peak rates as the most similar
// samples were. At the peak rates, a layer takes as long as its operations or its bytes, whichever
// take longer; a fully connected layer takes as long as both together.
class LayerRates {
 public:
  // `flops` and `bytes` are the peak rates per second of the measured device. `speed` says how much
  // faster this device is. All are positive.
  LayerRates(const std::vector<LayerSample>& samples, double flops, double bytes, double speed = 1);

  // The seconds that a pass takes.
  double seconds(const LayerShape& shape, convoy_pass pass, const graph::LayerWork& work,
                 const RateGain& gain = {}) const;

  // A hash of everything that seconds() depends on, so that measurements can be told apart.
  std::uint64_t fingerprint() const;

 private:
  struct Known {
    LayerShape shape;
    double slowdown = 0;  // the measured time divided by the time at the peak rates
  };
  double slowdown(const LayerShape& shape, convoy_pass pass) const;
  double at_peak(const LayerShape& shape, convoy_pass pass, const graph::LayerWork& work,
                 const RateGain& gain = {}) const;

  double flops_;
  double bytes_;
  TileSides tile_sides_;
  double speed_;
  std::vector<Known> known_[3];    // per pass
  double usual_slowdown_[3] = {};  // per pass, over all layers
};

}  // namespace convoy::simulate
