#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/plan/sample_models.hpp"

namespace convoy::testing::validate_compression_test {
namespace {

// What the planner says to one operation on a gradient of 137 elements.
std::string refusal(const WritePlan& write) {
  const auto with_compute = [&](Planner& p) {
    p.compute();
    write(p);
  };
  return plan_refusal(with_compute, 1);
}

#define EXPECT_REFUSED(text, ...) \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, text, refusal(__VA_ARGS__))

Span gradient(Planner& p) {
  return p.gradient(ReplicaId(0));
}
Buffer some(Planner& p, std::uint64_t count, Dtype dtype = Dtype::kF32) {
  return p.scratch(PlaceId(0), count, dtype);
}

TEST(CompressionRefusals, SelectionsThatDoNotFit) {
  EXPECT_EQ(refusal([](Planner& p) {
              p.top_k(some(p, 137), some(p, 137, Dtype::kI32), gradient(p), gradient(p));
            }),
            "accepted");
  EXPECT_REFUSED("4 indices where 5 are needed",
                 [](Planner& p) { p.top_k(some(p, 5), some(p, 4, Dtype::kI32), gradient(p)); });
  EXPECT_REFUSED("138 values of 137 elements",
                 [](Planner& p) { p.top_k(some(p, 138), some(p, 138, Dtype::kI32), gradient(p)); });
  EXPECT_REFUSED("indices are f32; they have to be i32",
                 [](Planner& p) { p.top_k(some(p, 5), some(p, 5), gradient(p)); });
  EXPECT_REFUSED("136 elements where 137 are needed", [](Planner& p) {
    p.top_k(some(p, 5), some(p, 5, Dtype::kI32), gradient(p), some(p, 136));
  });
  EXPECT_REFUSED("a message where the elements are",
                 [](Planner& p) { p.top_k(gradient(p), some(p, 137, Dtype::kI32), gradient(p)); });
  EXPECT_REFUSED("10 values are not 3 messages", [](Planner& p) {
    p.scatter(gradient(p), some(p, 10), some(p, 10, Dtype::kI32), {.messages = 3});
  });
  EXPECT_REFUSED("1 writes; it has 2 or 3", [](Planner& p) {
    auto it = make_sized<convoy_operation>();
    it.kind = CONVOY_OP_TOP_K;
    it.place = it.replica = CONVOY_NONE;
    p.emit(it, {gradient(p)}, {some(p, 5)});
  });
}

TEST(CompressionRefusals, CodesThatDoNotFit) {
  const Coding bits{Code::k4Bits, 100};
  EXPECT_EQ(refusal([=](Planner& p) {
              p.quantise(some(p, 69, Dtype::kU8), some(p, 2), gradient(p), bits);
            }),
            "accepted");
  EXPECT_REFUSED("68 bytes of codes where 69 are needed", [=](Planner& p) {
    p.quantise(some(p, 68, Dtype::kU8), some(p, 2), gradient(p), bits);
  });
  EXPECT_REFUSED("1 scales where 2 are needed", [=](Planner& p) {
    p.quantise(some(p, 69, Dtype::kU8), some(p, 1), gradient(p), bits);
  });
  EXPECT_REFUSED("a scale for every 0 elements", [](Planner& p) {
    p.quantise(some(p, 137, Dtype::kU8), some(p, 2), gradient(p), {Code::k8Bits, 0});
  });
  EXPECT_REFUSED("code 3 is not known", [](Planner& p) {
    p.quantise(some(p, 137, Dtype::kU8), some(p, 2), gradient(p), {static_cast<Code>(3), 100});
  });
  EXPECT_REFUSED("codes are f32; they have to be u8",
                 [=](Planner& p) { p.quantise(some(p, 69), some(p, 2), gradient(p), bits); });
  EXPECT_REFUSED("0 messages", [=](Planner& p) {
    p.dequantise(gradient(p), some(p, 69, Dtype::kU8), some(p, 2), bits, {.messages = 0});
  });
  EXPECT_REFUSED("69 bytes of codes where 138 are needed", [=](Planner& p) {
    p.dequantise(gradient(p), some(p, 69, Dtype::kU8), some(p, 2), bits, {.messages = 2});
  });
}

}  // namespace
}  // namespace convoy::testing::validate_compression_test
