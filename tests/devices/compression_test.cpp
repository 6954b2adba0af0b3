// What compressing operations write has the very bits that the interpreter writes: hosts with other
// devices could not go on alike otherwise.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/conformance/compression_operands.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

void expect_same_bits(DeviceUnderTest& device, Operands right, const std::string& name) {
  Operands measured = right;
  run_on(device, measured);
  right.compute();
  for (const plan::PlanSpan& span : right.operation.writes)
    EXPECT_EQ(first_difference(name, measured.buffers[span.buffer], right.buffers[span.buffer],
                               span.dtype),
              "");
}

void expect_codes(DeviceUnderTest& device, std::uint64_t count, std::uint64_t block, Third third) {
  for (const Code code : {Code::kSign, Code::k4Bits, Code::k8Bits}) {
    const Coding coding{code, block};
    const std::string name =
        fmt::format("{} elements, code {}, {} per scale", count, static_cast<int>(code), block);
    expect_same_bits(device, quantise_of(noise(count, 8), coding, third), name);
    expect_same_bits(device, dequantise_onto(count, coding, 3, third), name);
  }
}

void expect_selection(DeviceUnderTest& device, std::uint64_t count, Third third) {
  const std::string name = fmt::format("{} elements", count);
  const std::uint64_t taken = count / 10 + 1;
  expect_same_bits(device, top_k_of(noise(count, 7), taken, third), name + ", top_k");
  expect_same_bits(device, scatter_onto(count, taken, 3, third), name + ", scatter");
}

TEST(Compression, WritesWhatTheInterpreterWrites) {
  DeviceUnderTest device;
  for (const std::uint64_t count : {1u, 31u, 1057u})
    for (const Third third : {Third::kNone, Third::kApart, Third::kInPlace}) {
      expect_selection(device, count, third);
      for (const std::uint64_t block : {7u, 256u, 1000000u})
        expect_codes(device, count, block, third);
    }
}

TEST(Compression, WritesThatWhereTheDeviceSharesTheWork) {
  DeviceUnderTest device;
  expect_selection(device, 70001, Third::kApart);
  expect_codes(device, 70001, 1000, Third::kInPlace);
}

TEST(Compression, ZeroStaysZero) {
  DeviceUnderTest device;
  for (const Code code : {Code::kSign, Code::k4Bits, Code::k8Bits}) {
    std::vector<float> values = noise(1000, 9);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = 0;
    Operands packed = quantise_of(values, {code, 64}, Third::kApart);
    run_on(device, packed);
    const auto* rest = reinterpret_cast<const float*>(packed.at(packed.operation.writes[2]));
    for (std::size_t i = 0; i < values.size(); i += 3) EXPECT_EQ(rest[i], 0) << i;
  }
}

}  // namespace
}  // namespace convoy::test
