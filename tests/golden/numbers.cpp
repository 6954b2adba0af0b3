#include "tests/golden/numbers.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/numbers/hash_fill.hpp"

namespace convoy::testing {

Projection project(const std::vector<float>& values, std::uint32_t key, std::uint32_t seed) {
  Projection result;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    result.norm += value * value;
    result.dot += value * hash_fill(key, seed, i, 1, 0);
  }
  result.norm = std::sqrt(result.norm);
  return result;
}

std::vector<float> difference(const std::vector<float>& a, const std::vector<float>& b) {
  CONVOY_CHECK_EQ(a.size(), b.size());
  std::vector<float> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] - b[i];
  return result;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  CONVOY_CHECK_EQ(a.size(), b.size());
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    squares += apart * apart;
  }
  return std::sqrt(squares);
}

double half_square_sum(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += 0.5 * static_cast<double>(value) * value;
  return sum;
}

}  // namespace convoy::testing
