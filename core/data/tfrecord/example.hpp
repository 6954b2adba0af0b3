#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::data {

// Where an object is, as fractions of the image's width and height.
struct BoundingBox {
  float x_min = 0;
  float y_min = 0;
  float x_max = 1;
  float y_max = 1;
};

// What training uses of a record.
struct LabelledImage {
  std::string encoded;  // a JPEG file
  std::int32_t label = 0;
  std::vector<BoundingBox> boxes;
};

// Reads a tf.Example with the keys image/encoded, image/class/label and, if there,
// image/object/bbox/{xmin,ymin,xmax,ymax}. Throws BadRecord if a key is missing, has another type
// or number of values, or the label is not in 0 .. classes - 1.
LabelledImage parse_example(std::string_view record, int classes);

// The record that parse_example() reads back.
std::string serialise_example(const LabelledImage& image);

}  // namespace convoy::data
