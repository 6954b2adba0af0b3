#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace convoy::testing {

// The models with a golden file that has this section: tests/golden/*.json.
std::vector<std::string> golden_models(const std::string& section = "step0");

// A model's name as GoogleTest allows it.
std::string case_name(const ::testing::TestParamInfo<std::string>& model);

}  // namespace convoy::testing
