#include "core/job/without_effect.hpp"

#include <gtest/gtest.h>

namespace convoy::job {
namespace {

TEST(WithoutEffect, NamesTheFlagsThatAreGiven) {
  EXPECT_EQ(without_effect({{"a", true}, {"b", false}, {"c", true}}, "nothing runs"),
            "--a, --c: without effect, because nothing runs");
  EXPECT_EQ(without_effect({{"a", false}}, "nothing runs"), "");
}

}  // namespace
}  // namespace convoy::job
