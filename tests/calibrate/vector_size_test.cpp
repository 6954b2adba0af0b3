#include "core/calibrate/vector_size.hpp"

#include <gtest/gtest.h>

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

TEST(VectorSize, OneVectorOfAllDevicesIsAsLargeAsAllCaches) {
  // Two EPYC 9654: 24 caches of 32 MiB.
  const VectorBounds bounds = {16 * kMebibyte, 768 * kMebibyte, 1024 * kGibibyte};
  for (const std::uint32_t devices : {1u, 2u, 12u, 192u}) {
    EXPECT_GE(devices * vector_bytes(bounds, devices), bounds.cache_bytes) << devices;
    EXPECT_GE(vector_bytes(bounds, devices), bounds.least_bytes) << devices;
  }
  EXPECT_EQ(vector_bytes(bounds, 1), 768 * kMebibyte);
}

TEST(VectorSize, SmallOrUnknownCachesLeaveTheLeastSize) {
  EXPECT_EQ(vector_bytes({16 * kMebibyte, 8 * kMebibyte, 0}, 1), 16 * kMebibyte);
  EXPECT_EQ(vector_bytes({16 * kMebibyte, 0, 0}, 4), 16 * kMebibyte);
}

TEST(VectorSize, FourVectorsOfEachDeviceTakeAQuarterOfTheMemoryAtMost) {
  const VectorBounds bounds = {16 * kMebibyte, 512 * kMebibyte, 4 * kGibibyte};
  for (const std::uint32_t devices : {1u, 8u, 64u})
    EXPECT_LE(4 * devices * vector_bytes(bounds, devices), kGibibyte) << devices;
  EXPECT_GE(vector_bytes({16 * kMebibyte, 0, kMebibyte}, 8), kMebibyte) << "never nothing";
}

TEST(VectorSize, HugeCachesAreExceededByAllVectorsTogether) {
  // Two EPYC 9684X: 24 caches of 96 MiB.
  const VectorBounds bounds = {16 * kMebibyte, 2304 * kMebibyte, 1024 * kGibibyte};
  EXPECT_LE(vector_bytes(bounds, 1), kGibibyte);
  EXPECT_GT(3 * vector_bytes(bounds, 1), bounds.cache_bytes);
}

}  // namespace
}  // namespace convoy::calibrate
