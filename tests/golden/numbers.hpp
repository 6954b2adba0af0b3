#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convoy::testing {

// What golden tests compute of whole arenas. Compiled like the product, unlike tests: there are
// networks of 140 million parameters.

// Euclidean norm of a tensor, and its dot product with the uniform numbers of a key; in double.
struct Projection {
  double norm = 0;
  double dot = 0;
};
Projection project(const std::vector<float>& values, std::uint32_t key, std::uint32_t seed);

// a - b for each element; both have the same size.
std::vector<float> difference(const std::vector<float>& a, const std::vector<float>& b);

// The Euclidean norm of that, in double.
double distance(const std::vector<float>& a, const std::vector<float>& b);

// Sum of w^2 / 2, in double.
double half_square_sum(std::span<const float> values);

}  // namespace convoy::testing
