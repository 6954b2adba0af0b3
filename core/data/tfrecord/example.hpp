#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::data {

// The position of an object, as fractions of the image's width and height.
struct BoundingBox {
  float x_min = 0;
  float y_min = 0;
  float x_max = 1;
  float y_max = 1;
};

// The parts of a record that training uses.
struct LabelledImage {
  std::string encoded;  // a JPEG file
  std::int32_t label = 0;
  std::vector<BoundingBox> boxes;
};

// Reads a tf.Example with the keys image/encoded, image/class/label and, if present,
// image/object/bbox/{xmin,ymin,xmax,ymax}. Throws BadRecord if a key is missing or has another type
// or number of values, or if the label is not in 0 .. classes - 1.
LabelledImage parse_example(std::string_view record, int classes);

// Returns a record from which parse_example() reads the image.
std::string serialise_example(const LabelledImage& image);

}  // namespace convoy::data
