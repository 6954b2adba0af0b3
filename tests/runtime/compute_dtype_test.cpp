#include "core/runtime/compute_dtype.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/base/error.hpp"

namespace convoy::runtime::compute_dtype_test {
namespace {

using ::testing::HasSubstr;

convoy_device_description device(const char* name, std::uint32_t half_dtype,
                                 std::uint32_t flags = 0) {
  convoy_device_description result{};
  std::strncpy(result.name, name, sizeof result.name - 1);
  result.half_dtype = half_dtype;
  result.flags = flags;
  return result;
}

std::string refusal(std::uint32_t wanted, const std::vector<convoy_device_description>& devices) {
  try {
    choose_compute_dtype(wanted, devices);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    return error.what();
  }
  return "accepted";
}

TEST(ComputeDtype, IsTheHalfTypeOfTheDevices) {
  const auto bf16 = device("a", CONVOY_BF16);
  const auto f16 = device("b", CONVOY_F16);
  EXPECT_EQ(choose_compute_dtype(kHalfOfTheDevices, {bf16, bf16}), std::uint32_t{CONVOY_BF16});
  EXPECT_EQ(choose_compute_dtype(kHalfOfTheDevices, {f16}), std::uint32_t{CONVOY_F16});
  EXPECT_EQ(choose_compute_dtype(CONVOY_F32, {bf16, f16}), std::uint32_t{CONVOY_F32});
}

TEST(ComputeDtype, RefusesDevicesWithoutOne) {
  const auto bf16 = device("a", CONVOY_BF16);
  for (const std::uint32_t none : {std::uint32_t{CONVOY_NONE}, std::uint32_t{CONVOY_F32}})
    EXPECT_THAT(refusal(kHalfOfTheDevices, {bf16, device("old:1", none)}),
                HasSubstr("device old:1 () has no 16-bit type"));
}

TEST(ComputeDtype, RefusesDevicesThatDiffer) {
  const std::vector<convoy_device_description> devices = {device("a", CONVOY_BF16),
                                                          device("b", CONVOY_F16)};
  EXPECT_THAT(refusal(kHalfOfTheDevices, devices), HasSubstr("b () computes in f16, but bf16"));
  EXPECT_THAT(refusal(CONVOY_F16, devices), HasSubstr("a () computes in bf16, but f16"));
}

TEST(ComputeDtype, TellsOnceThatHalfIsEmulated) {
  const auto native = device("a", CONVOY_BF16);
  const auto emulated = device("b", CONVOY_BF16, CONVOY_DEVICE_EMULATES_HALF);
  EXPECT_EQ(emulation_notice(CONVOY_BF16, {native}), "");
  EXPECT_EQ(emulation_notice(CONVOY_F32, {emulated}), "");
  EXPECT_EQ(emulation_notice(CONVOY_BF16, {native, emulated, emulated}),
            "b computes bf16 with 32-bit instructions: emulated, same numbers, not faster");
}

}  // namespace
}  // namespace convoy::runtime::compute_dtype_test
