#include "core/cli/flags/sweep_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/environment.hpp"

namespace convoy::cli::sweep_axes_test {
namespace {

using ::testing::ElementsAre;

TEST(SweepAxes, CombineEveryValueWithEveryOtherTheLastFlagFirst) {
  const std::vector<std::string> arguments = {"--hosts=1,4", "--model", "lenet,alexnet",
                                              "--use_fp16", "--num_gpus=8"};
  const SweepAxes axes(arguments);
  ASSERT_EQ(axes.size(), 4u);
  EXPECT_TRUE(axes.is_sweep());
  EXPECT_THAT(axes.flags_at(0), ElementsAre("--model=lenet", "--hosts=1", "--num_gpus=8"));
  EXPECT_THAT(axes.flags_at(1), ElementsAre("--model=lenet", "--hosts=4", "--num_gpus=8"));
  EXPECT_THAT(axes.flags_at(2), ElementsAre("--model=alexnet", "--hosts=1", "--num_gpus=8"));
  EXPECT_THAT(axes.values_at(3), ElementsAre("alexnet", "4", "8"));
}

TEST(SweepAxes, NumbersOfDevicesAloneAreNoSweep) {
  EXPECT_FALSE(SweepAxes(std::vector<std::string>{"--num_gpus=1,2,4", "--hosts=2"}).is_sweep());
  EXPECT_EQ(SweepAxes(std::vector<std::string>{}).size(), 1u);
}

TEST(SweepAxes, CountsOfTheCommandLineComeBeforeVariables) {
  const Environment gpus(Environment::Values{{"CONVOY_NUM_GPUS", "4"}});
  const SweepAxes axes(std::vector<std::string>{"--num_devices=1,2"});
  EXPECT_THAT(axes.flags_at(1), ElementsAre("--num_devices=2"));
}

TEST(SweepAxes, AListMayBeLongerThanANameOfAFile) {
  std::string list = "--batch_size=1";
  for (int batch = 2; batch <= 500; ++batch) list += "," + std::to_string(batch);
  EXPECT_EQ(SweepAxes(std::vector<std::string>{list}).size(), 500u);
}

void expect_refused(const std::string& list, const std::string& reason) {
  try {
    const SweepAxes axes(std::vector<std::string>{list});
    ADD_FAILURE() << list << " was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(list + ": " + reason));
  }
}

TEST(SweepAxes, AnEmptyOrRepeatedValueIsRefusedWithItsFlag) {
  expect_refused("--model=lenet,,alexnet", "an empty value");
  expect_refused("--hosts=2,4,2", "'2' occurs twice");
  expect_refused("--num_devices=1,1,2", "'1' occurs twice");
}

}  // namespace
}  // namespace convoy::cli::sweep_axes_test
