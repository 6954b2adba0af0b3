#pragma once

#include <array>
#include <cstddef>

#include "core/data/augment/kernels/table.hpp"
#include "core/data/pipeline/counter_random.hpp"

namespace convoy::data {

// The random colour changes of one picture.
struct ColorChanges {
  float brightness = 0;  // added to values in 0 .. 1
  float saturation = 1;  // a factor
  float hue = 0;         // in HSV a fraction of the circle, in YIQ radians
  float contrast = 1;    // a factor on the distance from each channel's mean
  // true: the order is brightness, saturation, hue, contrast; false: contrast comes second.
  bool contrast_last = true;
};

// Returns the matrix (rows red, green, blue) that rotates the hue and scales the saturation in the
// colour space YIQ, where both together are one linear step.
std::array<float, 9> yiq_matrix(float saturation, float hue);

// Changes the colours of training pictures: brightness (+-32/255), saturation (0.5 to 1.5), hue
// (+-0.2 of the circle in HSV, +-0.2 pi in YIQ) and contrast (0.5 to 1.5). Hue and saturation share
// one pass over the picture with the neighbouring step, which is brightness or contrast.
class ColorDistorter {
 public:
  explicit ColorDistorter(bool in_yiq, const PixelKernels& kernels = pixel_kernels())
      : in_yiq_(in_yiq), kernels_(kernels) {}

  // `planes` are red, green and blue with `pixels` values in 0 .. 1 each. They become values in -1
  // .. 1, clipped to what can be shown.
  void distort(float* planes, std::size_t pixels, bool contrast_last, CounterRandom& random) const;
  void apply(const ColorChanges& changes, float* planes, std::size_t pixels) const;

 private:
  void change_hue(const ColorChanges& changes, float brightness, const ColorPlanes& planes) const;
  ChannelChange contrast(float factor, float brightness, const ColorPlanes& planes) const;

  bool in_yiq_;
  const PixelKernels& kernels_;
};

}  // namespace convoy::data
