// Messages by example, written down by hand.
#include "core/plan/reference/arithmetic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace convoy::testing::reference_compression_test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Memory by buffer; spans are whole buffers.
class Compression : public ::testing::Test {
 protected:
  template <typename T>
  plan::PlanSpan add(const std::vector<T>& values, std::uint32_t dtype) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    memory_.push_back(std::move(bytes));
    return {static_cast<std::uint32_t>(memory_.size() - 1), dtype, 0, values.size()};
  }
  plan::PlanSpan floats(const std::vector<float>& values) { return add(values, CONVOY_F32); }
  template <typename T>
  std::vector<T> values(const plan::PlanSpan& span) {
    std::vector<T> result(span.count);
    std::memcpy(result.data(), memory_[span.buffer].data(), span.count * sizeof(T));
    return result;
  }
  void run(plan::OperationKind kind, plan::SpanList reads, plan::SpanList writes,
           std::initializer_list<std::uint64_t> sizes = {}) {
    plan::Operation it;
    it.kind = kind;
    it.reads = std::move(reads);
    it.writes = std::move(writes);
    std::copy(sizes.begin(), sizes.end(), it.details.edit().sizes);
    plan::run_compression(it,
                          [&](const plan::PlanSpan& span) { return memory_[span.buffer].data(); });
  }

  std::vector<std::vector<std::byte>> memory_;
};

TEST_F(Compression, TakesTheFirstOfTheLargestElementsInTheirOrder) {
  const plan::PlanSpan from = floats({1, -3, 2, 3, -3, 0.5f});
  const plan::PlanSpan values_of = floats({0, 0});
  const plan::PlanSpan indices = add<std::int32_t>({0, 0}, CONVOY_I32);
  run(plan::OperationKind::kTopK, {from}, {values_of, indices, from});
  EXPECT_EQ(values<float>(values_of), (std::vector<float>{-3, 3}));
  EXPECT_EQ(values<std::int32_t>(indices), (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(values<float>(from), (std::vector<float>{1, 0, 2, 0, -3, 0.5f}));
}

TEST_F(Compression, LeavesNothingThatIsNotFinite) {
  const plan::PlanSpan from = floats({1, -kInfinity, std::nanf(""), kInfinity});
  const plan::PlanSpan values_of = floats({0});
  const plan::PlanSpan indices = add<std::int32_t>({0}, CONVOY_I32);
  run(plan::OperationKind::kTopK, {from}, {values_of, indices, from});
  EXPECT_TRUE(std::isnan(values<float>(values_of)[0]));
  EXPECT_EQ(values<float>(from), (std::vector<float>{1, 0, 0, 0}));
}

TEST_F(Compression, ScattersMessageAfterMessage) {
  const plan::PlanSpan sent = floats({1, 2, 10, 20});
  const plan::PlanSpan indices = add<std::int32_t>({0, 2, 2, 7}, CONVOY_I32);
  const plan::PlanSpan to = floats({9, 9, 9});
  run(plan::OperationKind::kScatter, {sent, indices}, {to}, {2});
  EXPECT_EQ(values<float>(to), (std::vector<float>{1, 0, 12}));
  run(plan::OperationKind::kScatter, {sent, indices, to}, {to}, {2});
  EXPECT_EQ(values<float>(to), (std::vector<float>{2, 0, 24}));
}

TEST_F(Compression, SignsAreFiveInAByteAndZeroStaysZero) {
  const plan::PlanSpan from = floats({1, -2, 0, 3, 0, 0, -8});
  const plan::PlanSpan codes = add<std::uint8_t>({0, 0}, CONVOY_U8);
  const plan::PlanSpan scales = floats({0, 0});
  const plan::PlanSpan rest = floats(std::vector<float>(7));
  run(plan::OperationKind::kQuantise, {from}, {codes, scales, rest}, {CONVOY_CODE_SIGN, 4});
  // 2 + 0 3 + 1 9 + 2 27 + 1 81, and 1 + 0 3 + 1 9 + 1 27 + 1 81
  EXPECT_EQ(values<std::uint8_t>(codes), (std::vector<std::uint8_t>{146, 118}));
  EXPECT_EQ(values<float>(scales), (std::vector<float>{2, 8}));
  EXPECT_EQ(values<float>(rest), (std::vector<float>{-1, 0, 0, 1, 0, 0, 0}));
  run(plan::OperationKind::kDequantise, {codes, scales}, {rest}, {CONVOY_CODE_SIGN, 4, 1});
  EXPECT_EQ(values<float>(rest), (std::vector<float>{2, -2, 0, 2, 0, 0, -8}));
}

TEST_F(Compression, FourBitsAreTwoInAByteRoundedToEven) {
  const plan::PlanSpan from = floats({7, -7, 2.5f, -1.5f, 0.25f});
  const plan::PlanSpan codes = add<std::uint8_t>({0, 0, 0}, CONVOY_U8);
  const plan::PlanSpan scales = floats({0});
  run(plan::OperationKind::kQuantise, {from}, {codes, scales, from}, {CONVOY_CODE_4_BITS, 8});
  EXPECT_EQ(values<std::uint8_t>(codes), (std::vector<std::uint8_t>{0x97, 0xe2, 0x00}));
  EXPECT_EQ(values<float>(scales), (std::vector<float>{1}));
  EXPECT_EQ(values<float>(from), (std::vector<float>{0, 0, 0.5f, 0.5f, 0.25f}));
}

TEST_F(Compression, ABlockThatIsNotFiniteIsNotANumberAndKeepsNothing) {
  const plan::PlanSpan from = floats({1, kInfinity, 127, -2});
  const plan::PlanSpan codes = add<std::uint8_t>({9, 9, 9, 9}, CONVOY_U8);
  const plan::PlanSpan scales = floats({0, 0});
  run(plan::OperationKind::kQuantise, {from}, {codes, scales, from}, {CONVOY_CODE_8_BITS, 2});
  EXPECT_EQ(values<std::uint8_t>(codes), (std::vector<std::uint8_t>{0, 0, 127, 0xfe}));
  EXPECT_EQ(values<float>(from), (std::vector<float>{0, 0, 0, 0}));
  run(plan::OperationKind::kDequantise, {codes, scales}, {from}, {CONVOY_CODE_8_BITS, 2, 1});
  EXPECT_TRUE(std::isnan(values<float>(from)[0]));
  EXPECT_EQ(values<float>(from)[3], -2);
}

}  // namespace
}  // namespace convoy::testing::reference_compression_test
