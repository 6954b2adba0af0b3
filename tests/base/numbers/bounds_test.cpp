#include "core/base/numbers/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace convoy {
namespace {

TEST(Bounds, LeaveOutTheEndsThatAreExcluded) {
  const Bounds open = {.least = 0, .most = 1, .is_above = true, .is_below = true};
  for (const double outside : {0.0, 1.0, -0.5, 1.5, std::nan("")})
    EXPECT_FALSE(open.contain(outside)) << outside;
  EXPECT_TRUE(open.contain(0.5));
  const Bounds closed = {.least = 0, .most = 1};
  EXPECT_TRUE(closed.contain(0));
  EXPECT_TRUE(closed.contain(1));
}

TEST(Bounds, AreDescribedAsTheyAre) {
  EXPECT_EQ(bounds_text({.least = 0, .most = 1}, false), "a number from 0 to 1");
  EXPECT_EQ(bounds_text({.least = 0, .most = 1, .is_below = true}, false),
            "a number of at least 0 and below 1");
  EXPECT_EQ(bounds_text({.is_above = true}, false), "a number above 0");
  EXPECT_EQ(bounds_text({.least = 1, .most = 1e9}, true), "an integer from 1 to 1000000000");
  EXPECT_EQ(bounds_text({.least = 1}, true), "an integer of at least 1");
}

}  // namespace
}  // namespace convoy
