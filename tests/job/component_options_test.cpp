#include "core/job/component_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::job {
namespace {

using ::testing::HasSubstr;

TEST(DivergenceText, CountsWarmUpStepsFromOne) {
  EXPECT_THAT(divergence_text(-8, 10), HasSubstr("not finite from warm-up step 3 on"));
  EXPECT_THAT(divergence_text(4, 10), HasSubstr("not finite from step 4 on"));
}

}  // namespace
}  // namespace convoy::job
