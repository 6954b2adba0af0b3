#include "tests/golden/golden_models.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/base/error.hpp"
#include "tests/golden/golden_file.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint64_t kLargeModel = 20'000'000;  // parameters

// What cases are chosen by.
struct GoldenModel {
  std::string name;
  std::set<std::string> sections;
  std::uint64_t parameters = 0;
  bool has_batch_norm = false;
};

std::vector<GoldenModel> read_models() {
  std::vector<GoldenModel> models;
  for (const auto& entry : std::filesystem::directory_iterator(CONVOY_SOURCE_DIR "/tests/golden")) {
    if (entry.path().extension() != ".json") continue;
    const nlohmann::json file = read_golden(entry.path().stem());
    GoldenModel model;
    model.name = entry.path().stem();
    for (const auto& [section, content] : file.items()) model.sections.insert(section);
    if (file.contains("step0")) {
      model.parameters = file.at("num_parameters");
      model.has_batch_norm = !file.at("bn_after_step1").empty();
    }
    models.push_back(std::move(model));
  }
  std::ranges::sort(models, {}, &GoldenModel::name);
  return models;
}

// Read once in a process: every case is a process, and the files are a million characters.
const std::vector<GoldenModel>& all_models() {
  static const std::vector<GoldenModel> kModels = read_models();
  return kModels;
}

std::uint32_t most_threads(const std::string& model) {
  if (model == "resnet101" || model == "resnet152") return 1;
  return is_large(model) ? 2 : 3;
}

}  // namespace

std::vector<std::string> golden_models(const std::string& section) {
  std::vector<std::string> names;
  for (const GoldenModel& model : all_models())
    if (model.sections.contains(section)) names.push_back(model.name);
  return names;
}

std::vector<std::string> golden_models_without_batch_norm() {
  std::vector<std::string> names;
  for (const GoldenModel& model : all_models())
    if (model.sections.contains("step0") && !model.has_batch_norm) names.push_back(model.name);
  return names;
}

bool is_large(const std::string& model) {
  const auto found = std::ranges::find(all_models(), model, &GoldenModel::name);
  CONVOY_CHECK(found != all_models().end());
  return found->parameters >= kLargeModel;
}

std::vector<std::uint32_t> golden_threads(std::uint32_t first) {
  const std::uint32_t last = std::getenv("CONVOY_TEST_DEVICE") == nullptr ? 3 : 1;
  std::vector<std::uint32_t> threads;
  for (std::uint32_t count = first; count <= last; ++count) threads.push_back(count);
  return threads;
}

std::vector<ModelAndThreads> golden_cases(const std::vector<std::string>& models) {
  std::vector<ModelAndThreads> cases;
  cases.reserve(models.size());
  for (const std::string& model : models) cases.emplace_back(model, 1);
  return cases;
}

std::vector<ModelAndThreads> golden_cases_on_all_threads() {
  std::vector<ModelAndThreads> cases;
  for (const std::string& model : golden_models("step0"))
    for (const std::uint32_t count : golden_threads())
      if (count <= most_threads(model)) cases.emplace_back(model, count);
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
