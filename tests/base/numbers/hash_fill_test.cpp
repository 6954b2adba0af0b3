#include "core/base/numbers/hash_fill.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace convoy {
namespace {

TEST(HashFill, GivesThePublishedVectors) {
  EXPECT_EQ(hash_uniform(1, 1, 0), -0.3608238660963252);
  EXPECT_EQ(hash_uniform(1, 1, 1), 0.30819478386547416);
  EXPECT_EQ(hash_uniform(1, 1, 23231), -0.03920019289944321);
  EXPECT_EQ(hash_uniform(kHashImageKey, 7, 5), -0.33895143668632954);
}

TEST(HashFill, ScalesInDoubleAndRoundsToFloat) {
  // A kernel of 11 x 11 x 3 inputs per output, element 1.
  EXPECT_EQ(hash_fill(1, 1, 1, std::sqrt(24.0 / 363), 0), 0.07924604415893555f);
  EXPECT_EQ(hash_fill(1, 1, 0, 0, 1), 1.0f);
}

TEST(HashFill, StaysInsideTheOpenInterval) {
  for (std::uint32_t i = 0; i < 100000; ++i) {
    const double u = hash_uniform(3, 2, i);
    ASSERT_GT(u, -0.5) << "index " << i;
    ASSERT_LT(u, 0.5) << "index " << i;
  }
}

}  // namespace
}  // namespace convoy
