#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "core/graph/graph.hpp"

namespace convoy::test {

// A layer that the library behind a device may compute in a way of its own for its shape.
struct LayerShape {
  std::uint32_t kind = 0;     // CONVOY_LAYER_FULLY_CONNECTED, CONVOLUTION, MAX_POOL, AVERAGE_POOL
  std::uint32_t inputs = 1;   // channels
  std::uint32_t outputs = 1;  // channels; of pools those of the inputs
  std::uint32_t kernel = 1;   // of a square window
  std::uint32_t stride = 1;
  std::uint32_t side = 1;  // of square images, in pixels
  std::uint32_t batch = 1;
};

// "convolution_3_to_64_kernel_5_stride_2_side_9_batch_3", also a name for GoogleTest.
std::string name_of(const LayerShape& shape);

// Any shape whose forward pass takes at most so many products.
LayerShape draw_shape(std::mt19937& random, double most_products);

// The layer behind another one, so that it needs the gradient of its input, and before a
// classifier. Variable 0 are the other one's weights, variable 2 those of the layer, where it has
// any.
graph::Graph network_of(const LayerShape& shape);

}  // namespace convoy::test
