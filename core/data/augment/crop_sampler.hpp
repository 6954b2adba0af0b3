#pragma once

#include <span>

#include "core/data/augment/image.hpp"
#include "core/data/pipeline/counter_random.hpp"
#include "core/data/tfrecord/example.hpp"

namespace convoy::data {

// Returns a random window for training: 5 to 100 % of the image's area, width over height between
// 0.75 and 1.33, covering at least a tenth of one of the boxes (without boxes, the whole image is
// the box). Returns the whole image if a hundred tries fail. Boxes that are empty or not finite are
// ignored. Sizes and positions have the ranges of TensorFlow's sampler: along an axis on which it
// does not fill the image, a window never touches the right or bottom edge.
PixelWindow sample_crop(ImageSize size, std::span<const BoundingBox> boxes, CounterRandom& random);

}  // namespace convoy::data
