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
  LayerWork work;
  double seconds = 0;  // 0: another layer computed it on the way
};

// How many times faster than the samples were taken operations and bytes go: in another arithmetic
// than theirs.
struct RateGain {
  double flops = 1;
  double bytes = 1;
};

// What layers reach on a device that was measured. A layer that was among the samples takes the
// time that it took, another one that of the most similar ones, in proportion to its time at the
// device's peak rates: the longer of that of its operations and that of its bytes, of fully
// connected layers both.
class LayerRates {
 public:
  // flops and bytes: peak rates per second with which the samples were taken; speed: how much
  // faster the device is than that one. All positive.
  LayerRates(const std::vector<LayerSample>& samples, double flops, double bytes, double speed = 1);

  // Seconds that a pass takes.
  double seconds(const LayerShape& shape, convoy_pass pass, const LayerWork& work,
                 const RateGain& gain = {}) const;

  // A hash of all that seconds() depends on: another measurement has another one.
  std::uint64_t fingerprint() const;

 private:
  struct Known {
    LayerShape shape;
    double slowdown = 0;  // measured time over that at the peak rates
  };
  double slowdown(const LayerShape& shape, convoy_pass pass) const;
  double at_peak(const LayerShape& shape, convoy_pass pass, const LayerWork& work,
                 const RateGain& gain = {}) const;

  double flops_;
  double bytes_;
  TileSides tile_sides_;
  double speed_;
  std::vector<Known> known_[3];    // per pass
  double usual_slowdown_[3] = {};  // per pass, of all layers together
};

}  // namespace convoy::simulate
