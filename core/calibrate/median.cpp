#include "core/calibrate/median.hpp"

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::calibrate {

double median(std::vector<double> values) {
  CONVOY_CHECK(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace convoy::calibrate
