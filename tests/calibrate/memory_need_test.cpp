#include "core/calibrate/memory_need.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown_text.hpp"

namespace convoy::calibrate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kGigabyte = 1'000'000'000;

CalibrationLoad two_cores() {
  return {2, 3, check_network()};
}

MemoryLimit limit_of(std::uint64_t bytes) {
  return {bytes, 16 * kGigabyte, "this machine has"};
}

std::vector<std::string> left_out_within(const std::optional<MemoryLimit>& limit) {
  std::vector<ProbeNetwork> networks = probe_networks();
  const std::size_t all = networks.size();
  std::vector<std::string> left_out = keep_what_fits(networks, two_cores(), limit);
  EXPECT_EQ(networks.size() + left_out.size(), all);
  return left_out;
}

TEST(CalibrationMemory, SufficesForAllOrForTheFirst) {
  EXPECT_THAT(left_out_within({}), IsEmpty());
  EXPECT_THAT(left_out_within(limit_of(8 * kGigabyte)), IsEmpty());
  const std::vector<std::string> left_out = left_out_within(limit_of(5 * kGigabyte / 4));
  EXPECT_THAT(left_out, Contains("layers of large filters"));
}

TEST(CalibrationMemory, IsRefusedWithItsArithmetic) {
  EXPECT_THAT(thrown_text([] { left_out_within(limit_of(kGigabyte)); }),
              AllOf(HasSubstr("this machine has 14.9 GiB, of which 953.7 MiB are free"),
                    HasSubstr("residual bottlenecks"), HasSubstr("on 3 devices"),
                    HasSubstr("--quick needs less")));
}

TEST(CalibrationMemory, QuicklyNeedsLess) {
  std::vector<ProbeNetwork> networks = quick_probe_networks();
  const CalibrationLoad load = {2, 3, quick_check_network()};
  EXPECT_THAT(keep_what_fits(networks, load, limit_of(kGigabyte / 2)), IsEmpty());
  EXPECT_EQ(networks.size(), 1u);
}

}  // namespace
}  // namespace convoy::calibrate
