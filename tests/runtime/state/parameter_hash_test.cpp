#include "core/runtime/state/parameter_hash.hpp"

#include <gtest/gtest.h>

namespace convoy::runtime {
namespace {

// Both numbers are xxh128sum's for files with these bytes.
TEST(ParameterHash, IsXxh128OfTheValuesBytes) {
  EXPECT_EQ(parameter_hash({}), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(parameter_hash({{{1.0f, -2.5f}, {0.0f}}, {3.0f, 1e-20f}}),
            "fdc980b8dc34754b316928403c04cc8f");
}

TEST(ParameterHash, SeesEveryBitAndEveryPart) {
  const std::string hash = parameter_hash({{{1.0f}, {2.0f}}, {3.0f}});
  EXPECT_NE(parameter_hash({{{2.0f}, {1.0f}}, {3.0f}}), hash);
  EXPECT_NE(parameter_hash({{{1.0f}, {2.0000002f}}, {3.0f}}), hash);
  EXPECT_NE(parameter_hash({{{1.0f}, {2.0f}}, {3.0000002f}}), hash);
}

}  // namespace
}  // namespace convoy::runtime
