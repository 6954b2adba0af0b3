#include "core/job/memory_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy::job {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMiB = 1 << 20;
constexpr HostMemoryNeed kNeed{.per_image = 10 * kMiB, .per_device = 100 * kMiB, .once = 50 * kMiB};
constexpr MemoryLimit kLimit{1024 << 20, 1024 << 20, "the control group allows"};

TEST(MemoryCheck, LetsWhatFitsPass) {
  EXPECT_EQ(memory_refusal(kNeed, 1, 87, kLimit), "");  // 50 + 100 + 870 = 1020 MiB
  EXPECT_EQ(memory_refusal(kNeed, 2, 38, kLimit), "");
}

TEST(MemoryCheck, RefusesWithTheArithmeticAndTheLargestBatch) {
  const std::string text = memory_refusal(kNeed, 2, 100, kLimit);
  EXPECT_THAT(text, HasSubstr("a batch of 100 on 2 devices needs 2.2 GiB of memory"));
  EXPECT_THAT(text, HasSubstr("the control group allows 1.0 GiB"));
  EXPECT_THAT(text, HasSubstr("200 images take 10.0 MiB each"));
  EXPECT_THAT(text, HasSubstr("the largest --batch_size that fits is 38"));
  EXPECT_THAT(text, Not(HasSubstr("are free")));
  EXPECT_THAT(text, Not(HasSubstr("the rest")));
  EXPECT_NE(memory_refusal(kNeed, 2, 39, kLimit), "");
}

TEST(MemoryCheck, CountsWhatOthersLeave) {
  constexpr MemoryLimit kHalfUsed{std::uint64_t{1} << 30, std::uint64_t{2} << 30,
                                  "this machine has"};
  EXPECT_EQ(memory_refusal(kNeed, 2, 38, kHalfUsed), "");
  const std::string text = memory_refusal(kNeed, 2, 80, kHalfUsed);
  EXPECT_THAT(text, HasSubstr("this machine has 2.0 GiB, of which 1.0 GiB are free"));
  EXPECT_THAT(text, HasSubstr("that fits is 38, or end what uses the rest"));
  EXPECT_THAT(memory_refusal(kNeed, 2, 800, kHalfUsed), Not(HasSubstr("the rest")));
}

TEST(MemoryCheck, SaysWhenNoBatchFits) {
  EXPECT_THAT(memory_refusal(kNeed, 10, 1, kLimit), HasSubstr("not one image per device fits"));
}

// Neither product may wrap around: 4096 devices of a thousand million images.
TEST(MemoryCheck, CountsBeyond64Bits) {
  HostMemoryNeed large = kNeed;
  large.per_image = 1e9;
  EXPECT_THAT(memory_refusal(large, 4096, 1'000'000'000, kLimit), HasSubstr("needs "));
}

}  // namespace
}  // namespace convoy::job
