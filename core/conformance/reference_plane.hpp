#pragma once

#include <cstddef>
#include <cstdint>

#include "core/graph/graph.hpp"

namespace convoy::conformance {

// The cells of the planes in a reference tensor. There is a plane per channel and image.
struct Plane {
  std::size_t width;
  std::size_t size;
  explicit Plane(const graph::TensorShape& shape)
      : width(shape.width), size(std::size_t{shape.height} * shape.width) {}
  std::size_t at(std::size_t plane, std::int64_t y, std::int64_t x) const {
    return plane * size + static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
  }
};

}  // namespace convoy::conformance
