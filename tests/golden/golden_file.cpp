#include "tests/golden/golden_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "core/base/text/json.hpp"

namespace convoy::testing {

nlohmann::json read_golden(const std::string& model) {
  const std::string path = std::string(CONVOY_SOURCE_DIR "/tests/golden/") + model + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return parse_json(file);
}

double loss_deviation(double actual, double reference) {
  return std::fabs(actual - reference) / std::max(1.0, std::fabs(reference));
}

double norm_deviation(double actual, double reference) {
  return std::fabs(actual - reference) / std::fabs(reference);
}

}  // namespace convoy::testing
