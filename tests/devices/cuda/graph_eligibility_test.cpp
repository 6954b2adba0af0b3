#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace convoy::cuda {
namespace {

TEST(GraphEligibility, SaysWhatIsReplayedAndWhatForbidsMore) {
  EXPECT_EQ(graph_remark(GraphMode::kOff, 2, false), "");
  EXPECT_EQ(graph_remark(GraphMode::kOn, 1, true),
            "CUDA graphs are off: --profile looks between the layers");
  const std::string one = graph_remark(GraphMode::kOn, 1, false);
  EXPECT_NE(one.find("every step as one launch"), std::string::npos) << one;
  const std::string two = graph_remark(GraphMode::kOn, 2, false);
  EXPECT_NE(two.find("unless devices exchange something"), std::string::npos) << two;
}

TEST(GraphEligibility, TakesAutoOnAndOff) {
  EXPECT_EQ(graph_mode("on"), GraphMode::kOn);
  EXPECT_EQ(graph_mode("off"), GraphMode::kOff);
  EXPECT_EQ(graph_mode("auto"), GraphMode::kOff);
  EXPECT_THROW(graph_mode("perhaps"), std::invalid_argument);
}

}  // namespace
}  // namespace convoy::cuda
