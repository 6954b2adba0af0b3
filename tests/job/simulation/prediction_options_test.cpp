#include "core/job/simulation/prediction_options.hpp"

#include <gtest/gtest.h>

namespace convoy::job {
namespace {

TEST(PredictionOptions, ComputeInWhatTheRunDoes) {
  JobOptions options;
  SimulatedHardware gpus;
  EXPECT_EQ(arithmetic(options, gpus), simulate::Arithmetic::kSingle);
  options.plugin_options["tf32"] = "true";
  EXPECT_EQ(arithmetic(options, gpus), simulate::Arithmetic::kTf32);
  SimulatedHardware processors;
  processors.on_host_processors = true;
  EXPECT_EQ(arithmetic(options, processors), simulate::Arithmetic::kSingle);
  options.half = true;
  EXPECT_EQ(arithmetic(options, gpus), simulate::Arithmetic::kHalf);
}

}  // namespace
}  // namespace convoy::job
