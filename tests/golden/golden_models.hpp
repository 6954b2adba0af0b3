#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace convoy::testing {

// The models with a golden file that has this section: tests/golden/*.json.
std::vector<std::string> golden_models(const std::string& section = "step0");

// A model and the number of threads of each device.
using ModelAndThreads = std::tuple<std::string, std::uint32_t>;

// Every such model with 1, 2 and 3 threads: libraries take other ways with more than one. Those of
// 20 million parameters and more (alexnet, inception3, overfeat, resnet50 and larger, vgg16) take
// most of the time there is, so they have up to `threads_of_large` threads only. A device that
// CONVOY_TEST_DEVICE names has threads of its own: 1.
std::vector<ModelAndThreads> golden_cases(const std::string& section,
                                          std::uint32_t threads_of_large);

// The threads of all models but those, from this number on.
std::vector<std::uint32_t> golden_threads(std::uint32_t first = 1);

// As GoogleTest allows it: resnet50_v1_5_on_2_threads.
std::string case_name(const ::testing::TestParamInfo<ModelAndThreads>& test);
std::string on_threads(std::uint32_t threads);

}  // namespace convoy::testing
