#pragma once

#include <array>
#include <cstddef>

#include "core/data/augment/kernels/table.hpp"
#include "core/data/pipeline/counter_random.hpp"

namespace convoy::data {

// What is drawn for one picture.
struct ColorChanges {
  float brightness = 0;  // added to values 0 .. 1
  float saturation = 1;  // factor
  float hue = 0;         // in HSV a fraction of the circle, in YIQ radians
  float contrast = 1;    // factor, about each channel's mean
  // The order is brightness, saturation, hue, contrast; else contrast comes second.
  bool contrast_last = true;
};

// The matrix (rows red, green, blue) that turns hue and scales saturation in the colour space YIQ,
// where both are one linear step.
std::array<float, 9> yiq_matrix(float saturation, float hue);

// Changes the colours of training pictures: brightness (+-32/255), saturation (0.5 to 1.5), hue
// (+-0.2 of the circle in HSV, +-0.2 pi in YIQ) and contrast (0.5 to 1.5). Hue and saturation share
// one pass over the picture with brightness, or with contrast, whichever comes beside them.
class ColorDistorter {
 public:
  explicit ColorDistorter(bool in_yiq, const PixelKernels& kernels = pixel_kernels())
      : in_yiq_(in_yiq), kernels_(kernels) {}

  // `planes` are red, green and blue of `pixels` values 0 .. 1 each; they become values -1 .. 1,
  // limited to what can be shown.
  void distort(float* planes, std::size_t pixels, bool contrast_last, CounterRandom& random) const;
  void apply(const ColorChanges& changes, float* planes, std::size_t pixels) const;

 private:
  void change_hue(const ColorChanges& changes, float brightness, const ColorPlanes& planes) const;
  ChannelChange contrast(float factor, float brightness, const ColorPlanes& planes) const;

  bool in_yiq_;
  const PixelKernels& kernels_;
};

}  // namespace convoy::data
