#include "core/job/simulation/prediction_options.hpp"

#include <gtest/gtest.h>

namespace convoy::job {
namespace {

TEST(PredictionOptions, ComputeInWhatTheRunDoes) {
  job::Setup setup;
  SimulatedHardware gpus;
  EXPECT_EQ(arithmetic(setup, gpus), simulate::Arithmetic::kSingle);
  setup.options.plugin_options["tf32"] = "true";
  EXPECT_EQ(arithmetic(setup, gpus), simulate::Arithmetic::kTf32);
  SimulatedHardware processors;
  processors.on_host_processors = true;
  EXPECT_EQ(arithmetic(setup, processors), simulate::Arithmetic::kSingle);
  setup.options.half = true;
  EXPECT_EQ(arithmetic(setup, gpus), simulate::Arithmetic::kHalf);
}

}  // namespace
}  // namespace convoy::job
