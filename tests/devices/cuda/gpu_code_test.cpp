#include "plugins/devices/cuda/gpu/gpu_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace convoy::cuda {
namespace {

using testing::HasSubstr;

const std::vector<int> kBuilt = {75, 80, 86, 90, 100};

TEST(GpuCode, RunsOnItsOwnGenerationFromItsOwnVersionOn) {
  EXPECT_EQ(code_for(90, kBuilt), GpuCode::kOwn);
  EXPECT_EQ(code_for(89, kBuilt), GpuCode::kOwn) << "that of 8.6 runs on 8.9";
  EXPECT_EQ(code_for(103, kBuilt), GpuCode::kOwn);
  EXPECT_NE(code_for(86, {87, 90}), GpuCode::kOwn) << "that of 8.7 does not run on 8.6";
}

TEST(GpuCode, IsCompiledByTheDriverForOthersFrom80On) {
  EXPECT_EQ(code_for(120, kBuilt), GpuCode::kCompiledByDriver);
  EXPECT_EQ(code_for(120, {80}), GpuCode::kCompiledByDriver);
  EXPECT_EQ(code_for(86, {87, 90}), GpuCode::kCompiledByDriver);
  EXPECT_EQ(code_for(90, {80, 100}), GpuCode::kCompiledByDriver);
  EXPECT_EQ(code_for(80, {70, 75}), GpuCode::kCompiledByDriver) << "of 7.5";
  EXPECT_EQ(code_for(72, {75}), GpuCode::kNone);
  EXPECT_EQ(code_for(70, kBuilt), GpuCode::kNone);
  EXPECT_EQ(code_for(60, kBuilt), GpuCode::kNone);
}

TEST(GpuCode, SaysWhatIsNotItsOwn) {
  EXPECT_EQ(code_notice("NVIDIA H200", 90, kBuilt), "");
  EXPECT_THAT(code_notice("NVIDIA B999", 131, kBuilt),
              testing::AllOf(HasSubstr("NVIDIA B999 has compute capability 13.1"),
                             HasSubstr("compiles its PTX of 8.0")));
  EXPECT_THAT(code_notice("Tesla P100", 60, kBuilt),
              testing::AllOf(HasSubstr("Tesla P100 has compute capability 6.0"),
                             HasSubstr("code for 7.5, 8.0, 8.6, 9.0, 10.0 and newer"),
                             HasSubstr("with 60 in it")));
}

TEST(GpuCode, IsNotGuessedWhereTheBuildIsUnknown) {
  EXPECT_EQ(code_for(60, {}), GpuCode::kOwn);
  EXPECT_EQ(code_notice("GPU", 60, {}), "");
}

TEST(GpuCode, OfThisBuildAscends) {
  const std::vector<int> built = built_capabilities();
  ASSERT_FALSE(built.empty());
  EXPECT_TRUE(std::is_sorted(built.begin(), built.end()));
  EXPECT_GE(built.front(), 60);
}

}  // namespace
}  // namespace convoy::cuda
