#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace convoy::testing {

// The models with a golden file that has this section: tests/golden/*.json.
std::vector<std::string> golden_models(const std::string& section = "step0");

// Those among them whose loss does not depend on how a batch is divided: without batch norm.
std::vector<std::string> golden_models_without_batch_norm();

// Models of 20 million parameters and more: alexnet, inception3, overfeat, resnet50 and larger,
// vgg16. They take most of the time there is.
bool is_large(const std::string& model);

// A model and the number of threads of each device.
using ModelAndThreads = std::tuple<std::string, std::uint32_t>;

// All of these with one thread.
std::vector<ModelAndThreads> golden_cases(const std::vector<std::string>& models);

// Every model with 1, 2 and 3 threads, because libraries take other ways with more than one; large
// ones with 1 and 2; resnet101 and resnet152, which repeat the shapes of resnet50, with 1.
std::vector<ModelAndThreads> golden_cases_on_all_threads();

// From this number of threads on, up to 3. A device that CONVOY_TEST_DEVICE names has threads of
// its own: 1.
std::vector<std::uint32_t> golden_threads(std::uint32_t first = 1);

// As GoogleTest allows it: resnet50_v1_5_on_2_threads.
std::string case_name(const ::testing::TestParamInfo<ModelAndThreads>& test);
std::string on_threads(std::uint32_t threads);

}  // namespace convoy::testing
