#pragma once

#include "core/data/counter_random.hpp"
#include "core/data/image.hpp"

namespace convoy {

// The pieces, on values that are 0 .. 1 for visible colours but may lie outside; none clamps.
void add_brightness(FloatImage& image, float delta);
void scale_contrast(FloatImage& image, float factor);    // about each channel's mean
void scale_saturation(FloatImage& image, float factor);  // hue and largest channel stay
void rotate_hue(FloatImage& image, float turn);          // fraction of the circle; extremes stay

// Random brightness (+-32/255), saturation (0.5 to 1.5), hue (+-0.2 of the circle) and contrast
// (0.5 to 1.5) on values 0 .. 255, clamped to that range at the end. `contrast_last` gives the
// order above; otherwise contrast comes second.
void distort_colors(FloatImage& image, bool contrast_last, CounterRandom& random);

}  // namespace convoy
