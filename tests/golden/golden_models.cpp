#include "tests/golden/golden_models.hpp"

#include <algorithm>
#include <filesystem>

#include "tests/golden/golden_file.hpp"

namespace convoy::testing {

std::vector<std::string> golden_models(const std::string& section) {
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(CONVOY_SOURCE_DIR "/tests/golden"))
    if (entry.path().extension() == ".json" && read_golden(entry.path().stem()).contains(section))
      models.push_back(entry.path().stem());
  std::ranges::sort(models);
  return models;
}

std::string case_name(const ::testing::TestParamInfo<std::string>& model) {
  std::string name = model.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace convoy::testing
