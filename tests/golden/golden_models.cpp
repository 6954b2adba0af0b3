#include "tests/golden/golden_models.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/golden/golden_file.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kLargeModel = 20'000'000;  // parameters

}  // namespace

std::vector<std::string> golden_models(const std::string& section) {
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(CONVOY_SOURCE_DIR "/tests/golden"))
    if (entry.path().extension() == ".json" && read_golden(entry.path().stem()).contains(section))
      models.push_back(entry.path().stem());
  std::ranges::sort(models);
  return models;
}

std::vector<std::uint32_t> golden_threads(std::uint32_t first) {
  const std::uint32_t last = std::getenv("CONVOY_TEST_DEVICE") == nullptr ? 3 : 1;
  std::vector<std::uint32_t> threads;
  for (std::uint32_t count = first; count <= last; ++count) threads.push_back(count);
  return threads;
}

std::vector<ModelAndThreads> golden_cases(const std::string& section,
                                          std::uint32_t threads_of_large) {
  std::vector<ModelAndThreads> cases;
  for (const std::string& model : golden_models(section)) {
    const bool large = read_golden(model).at("num_parameters") >= kLargeModel;
    for (const std::uint32_t threads : golden_threads())
      if (!large || threads <= threads_of_large) cases.emplace_back(model, threads);
  }
  return cases;
}

std::string on_threads(std::uint32_t threads) {
  return threads == 1 ? "_on_1_thread" : "_on_" + std::to_string(threads) + "_threads";
}

std::string case_name(const ::testing::TestParamInfo<ModelAndThreads>& test) {
  std::string name = std::get<0>(test.param) + on_threads(std::get<1>(test.param));
  std::ranges::replace(name, '.', '_');
  return name;
}

}  // namespace convoy::testing
