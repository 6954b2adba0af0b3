#include "core/base/numbers/statistics.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"

namespace convoy {
namespace {

double between(double low, double high, double weight) {
  return low * (1 - weight) + high * weight;
}

// Puts the middle value, or the upper one of the two, in its place, and smaller ones before it.
std::vector<double>::iterator to_middle(std::vector<double>& values) {
  CONVOY_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return middle;
}

}  // namespace

double mean(const std::vector<double>& values) {
  CONVOY_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  const auto middle = to_middle(values);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double upper_median(std::vector<double> values) {
  return *to_middle(values);
}

double quantile(std::vector<double> values, double fraction) {
  CONVOY_CHECK(!values.empty());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(position);
  const auto low = values.begin() + below;
  std::nth_element(values.begin(), low, values.end());
  if (low + 1 == values.end()) return *low;
  const double weight = position - static_cast<double>(below);
  return between(*low, *std::min_element(low + 1, values.end()), weight);
}

double median(const OrderedValues& values) {
  CONVOY_CHECK(!values.empty());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values.at(middle);
  return (values.at(middle) + values.at(middle - 1)) / 2;
}

double quantile(const OrderedValues& values, double fraction) {
  CONVOY_CHECK(!values.empty());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double low = values.at(below);
  if (below + 1 == values.size()) return low;
  const double weight = position - static_cast<double>(below);
  return between(low, values.at(below + 1), weight);
}

}  // namespace convoy
