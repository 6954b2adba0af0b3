#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "core/plan/reference/arithmetic.hpp"
#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

// Odd, and large enough that the team of a device shares the work.
constexpr std::size_t kCounts[] = {1, 7, 1023, 100003};

// Reads and writes of one operation.
struct Regions {
  std::vector<convoy_region> reads;
  std::vector<convoy_region> writes;
};

void run(DeviceUnderTest& device, std::uint32_t kind, const Regions& regions, double scalar = 0.0,
         std::uint32_t reduction = CONVOY_REDUCE_SUM) {
  convoy_submission submission = operation(kind, regions.reads, regions.writes);
  submission.scalar = scalar;
  submission.reduction = reduction;
  device.run(submission);
}

void expect_same_bits(const std::vector<float>& measured, const std::vector<float>& expected) {
  ASSERT_EQ(measured.size(), expected.size());
  for (std::size_t i = 0; i < measured.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(measured[i]), std::bit_cast<std::uint32_t>(expected[i]))
        << "element " << i << " of " << measured.size() << ": " << measured[i] << " and "
        << expected[i];
  }
}

TEST(Elementwise, CopiesEveryDtype) {
  DeviceUnderTest device;
  std::vector<std::uint8_t> bytes(100001);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
  std::vector<std::uint8_t> copy(bytes.size());
  run(device, CONVOY_OP_COPY, {{region(bytes, CONVOY_U8)}, {region(copy, CONVOY_U8)}});
  EXPECT_EQ(copy, bytes);
  std::vector<std::uint16_t> halves = {1, 0x7c00, 0xffff}, half_copy(3);
  run(device, CONVOY_OP_COPY, {{region(halves, CONVOY_BF16)}, {region(half_copy, CONVOY_BF16)}});
  EXPECT_EQ(half_copy, halves);
  std::vector<std::int32_t> integers = {-5, 1 << 30}, integer_copy(2);
  run(device, CONVOY_OP_COPY, {{region(integers, CONVOY_I32)}, {region(integer_copy, CONVOY_I32)}});
  EXPECT_EQ(integer_copy, integers);
}

TEST(Elementwise, FillsEveryDtype) {
  DeviceUnderTest device;
  std::vector<float> floats(99999);
  std::vector<std::uint16_t> halves(3), bfloats(3);
  std::vector<std::int32_t> integers(3);
  std::vector<std::uint8_t> bytes(3);
  run(device, CONVOY_OP_FILL, {{}, {region(floats)}}, -1.5);
  run(device, CONVOY_OP_FILL, {{}, {region(halves, CONVOY_F16)}}, -1.5);
  run(device, CONVOY_OP_FILL, {{}, {region(bfloats, CONVOY_BF16)}}, -1.5);
  run(device, CONVOY_OP_FILL, {{}, {region(integers, CONVOY_I32)}}, -7);
  run(device, CONVOY_OP_FILL, {{}, {region(bytes, CONVOY_U8)}}, 200);
  EXPECT_EQ(floats, std::vector<float>(99999, -1.5f));
  EXPECT_EQ(halves, std::vector<std::uint16_t>(3, 0xbe00));
  EXPECT_EQ(bfloats, std::vector<std::uint16_t>(3, 0xbfc0));
  EXPECT_EQ(integers, std::vector<std::int32_t>(3, -7));
  EXPECT_EQ(bytes, std::vector<std::uint8_t>(3, 200));
}

TEST(Elementwise, AddsScalesAndCombines) {
  DeviceUnderTest device;
  for (std::size_t count : kCounts) {
    std::vector<float> a = noise(count, 1), b = noise(count, 2), result(count);
    std::vector<float> sum(count), scaled(count), combined(count);
    const volatile float factor = 0.3f;  // volatile: no fused multiply-add in the reference
    for (std::size_t i = 0; i < count; ++i) {
      sum[i] = a[i] + b[i];
      const volatile float product = factor * a[i];
      scaled[i] = product;
      combined[i] = product + b[i];
    }
    run(device, CONVOY_OP_ADD, {{region(a), region(b)}, {region(result)}});
    expect_same_bits(result, sum);
    run(device, CONVOY_OP_SCALE, {{region(a)}, {region(result)}}, 0.3f);
    expect_same_bits(result, scaled);
    run(device, CONVOY_OP_AXPY, {{region(a), region(b)}, {region(result)}}, 0.3f);
    expect_same_bits(result, combined);
  }
}

TEST(Elementwise, MayWriteOverWhatItReads) {
  DeviceUnderTest device;
  const std::vector<float> a = noise(50001, 3);
  std::vector<float> b = noise(50001, 4), in_place = a, sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) sum[i] = a[i] + b[i];
  run(device, CONVOY_OP_ADD, {{region(in_place), region(b)}, {region(in_place)}});
  expect_same_bits(in_place, sum);
  run(device, CONVOY_OP_COPY, {{region(in_place)}, {region(in_place)}});
  expect_same_bits(in_place, sum);
}

class Reductions : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Reductions, GoLeftToRightIntoEveryWriteEvenOverAReading) {
  DeviceUnderTest device;
  for (std::size_t count : kCounts) {
    std::vector<std::vector<float>> parts;
    for (std::uint32_t part = 0; part < 5; ++part) parts.push_back(noise(count, 10 + part));
    std::vector<float> expected = parts[0], other(count);
    for (std::size_t part = 1; part < parts.size(); ++part) {
      for (std::size_t i = 0; i < count; ++i) {
        const float total = expected[i], value = parts[part][i];
        expected[i] = GetParam() == CONVOY_REDUCE_SUM   ? total + value
                      : GetParam() == CONVOY_REDUCE_MIN ? std::min(total, value)
                                                        : std::max(total, value);
      }
    }
    Regions regions;
    for (std::vector<float>& part : parts) regions.reads.push_back(region(part));
    regions.writes = {region(parts[3]), region(other)};
    run(device, CONVOY_OP_SUM, regions, 0.0, GetParam());
    expect_same_bits(parts[3], expected);
    expect_same_bits(other, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Reductions,
                         testing::Values(CONVOY_REDUCE_SUM, CONVOY_REDUCE_MIN, CONVOY_REDUCE_MAX));

// Nearest 16-bit number of a format, by search through all of them; ties to the even code.
std::uint16_t nearest(float value, const std::vector<double>& numbers) {
  const double magnitude = std::fabs(static_cast<double>(value));
  std::size_t best = 0;
  for (std::size_t code = 1; code < numbers.size(); ++code) {
    const double ours = std::fabs(numbers[code] - magnitude);
    const double theirs = std::fabs(numbers[best] - magnitude);
    if (ours < theirs || (ours == theirs && code % 2 == 0)) best = code;
  }
  return static_cast<std::uint16_t>(best | (std::signbit(value) ? 0x8000u : 0u));
}

// All finite non-negative numbers with this many exponent and fraction bits, in the order of their
// codes, then what infinity stands for when rounding.
std::vector<double> numbers_of(int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  std::vector<double> numbers;
  for (int exponent = 0; exponent < (1 << exponent_bits) - 1; ++exponent) {
    for (int fraction = 0; fraction < 1 << fraction_bits; ++fraction) {
      const double mantissa = fraction + (exponent > 0 ? 1 << fraction_bits : 0);
      numbers.push_back(std::ldexp(mantissa, std::max(exponent, 1) - bias - fraction_bits));
    }
  }
  numbers.push_back(std::ldexp(1.0, bias + 1));
  return numbers;
}

void expect_rounding(std::uint32_t dtype, int exponent_bits, int fraction_bits) {
  DeviceUnderTest device;
  std::vector<float> values = noise(60, 5);
  for (float magnitude : {0.0f, 1.0f, 65504.0f, 65519.0f, 65520.0f, 6e-8f, 2.9e-8f, 3e-8f, 1e-5f,
                          6.1e-5f, 1.0009765f, 1.00048828125f, 3.3e38f, 1e-40f}) {
    values.push_back(magnitude);
    values.push_back(-magnitude);
  }
  std::vector<std::uint16_t> codes(values.size());
  std::vector<float> back(values.size());
  run(device, CONVOY_OP_CAST, {{region(values)}, {region(codes, dtype)}});
  run(device, CONVOY_OP_CAST, {{region(codes, dtype)}, {region(back)}});
  const std::vector<double> numbers = numbers_of(exponent_bits, fraction_bits);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(codes[i], nearest(values[i], numbers)) << values[i];
    const std::size_t code = codes[i] & 0x7fffu;
    const bool infinite = code + 1 == numbers.size();
    const double number = infinite ? std::numeric_limits<double>::infinity() : numbers[code];
    EXPECT_EQ(static_cast<double>(back[i]), std::signbit(values[i]) ? -number : number);
  }
}

TEST(Elementwise, CastsToHalfAndBack) {
  expect_rounding(CONVOY_F16, 5, 10);
}
TEST(Elementwise, CastsToBfloatAndBack) {
  expect_rounding(CONVOY_BF16, 8, 7);
}

TEST(Elementwise, CastsKeepNotANumber) {
  DeviceUnderTest device;
  for (std::uint32_t dtype : {CONVOY_F16, CONVOY_BF16}) {
    std::vector<float> values = {std::bit_cast<float>(0x7f800001u), std::nanf("")}, back(2);
    std::vector<std::uint16_t> codes(2);
    run(device, CONVOY_OP_CAST, {{region(values)}, {region(codes, dtype)}});
    run(device, CONVOY_OP_CAST, {{region(codes, dtype)}, {region(back)}});
    EXPECT_TRUE(std::isnan(back[0]) && std::isnan(back[1])) << back[0] << " " << back[1];
  }
}

TEST(Elementwise, MultipliesMatrices) {
  DeviceUnderTest device;
  constexpr std::size_t kRows = 5, kColumns = 7, kInner = 11;
  std::vector<float> a = noise(kRows * kInner, 6), b = noise(kInner * kColumns, 7);
  std::vector<float> c(kRows * kColumns);
  const std::uint64_t sizes[4] = {kRows, kColumns, kInner, 0};
  const convoy_region reads[2] = {region(a), region(b)}, write = region(c);
  convoy_submission submission = operation(CONVOY_OP_MATMUL, reads, {&write, 1});
  submission.sizes = sizes;
  device.run(submission);
  for (std::size_t i = 0; i < c.size(); ++i) {
    double expected = 0.0;
    for (std::size_t k = 0; k < kInner; ++k) {
      expected += static_cast<double>(a[i / kColumns * kInner + k]) *
                  static_cast<double>(b[k * kColumns + i % kColumns]);
    }
    EXPECT_NEAR(c[i], expected, 1e-5) << i;
  }
}

// Sums in double, in one order whatever the threads.
TEST(Elementwise, InnerProductHasTheBitsOfTheInterpreter) {
  DeviceUnderTest device;
  plan::Operation meant;
  meant.kind = plan::OperationKind::kDot;
  for (const std::size_t count : {std::size_t{1}, std::size_t{1023}, std::size_t{500009}}) {
    std::vector<float> a = noise(count, 8), b = noise(count, 9), result(1);
    run(device, CONVOY_OP_DOT, {{region(a), region(b)}, {region(result)}});
    expect_same_bits(result, plan::algebra_result(meant, {a, b}));
  }
}

TEST(Elementwise, CallsAHostKernel) {
  DeviceUnderTest device;
  std::vector<float> a = {1, 2, 3}, b(3);
  const convoy_region read = region(a), write = region(b);
  convoy_submission submission = operation(CONVOY_OP_CALL, {&read, 1}, {&write, 1});
  submission.host_kernel = [](const convoy_region* reads, std::uint64_t,
                              const convoy_region* writes, std::uint64_t) -> std::int32_t {
    for (std::uint64_t i = 0; i < reads[0].count; ++i) {
      static_cast<float*>(writes[0].data)[i] = 10 * static_cast<const float*>(reads[0].data)[i];
    }
    return 0;
  };
  device.run(submission);
  EXPECT_EQ(b, (std::vector<float>{10, 20, 30}));
}

TEST(Elementwise, RefusesRegionsThatDoNotFit) {
  std::vector<float> a(3), b(4);
  std::vector<std::int32_t> integers(3);
  EXPECT_THROW(
      {
        DeviceUnderTest device;
        run(device, CONVOY_OP_COPY, {{region(a)}, {region(b)}});
      },
      std::runtime_error);
  EXPECT_THROW(
      {
        DeviceUnderTest device;
        run(device, CONVOY_OP_SCALE,
            {{region(integers, CONVOY_I32)}, {region(integers, CONVOY_I32)}});
      },
      std::runtime_error);
}

}  // namespace
}  // namespace convoy::test
