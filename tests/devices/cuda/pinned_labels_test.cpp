#include "plugins/devices/cuda/programs/pinned_labels.hpp"

#include <gtest/gtest.h>

#include "tests/devices/cuda/fake_streams.hpp"

namespace convoy::cuda {
namespace {

constexpr std::size_t kLabels = 3;

class LabelsOnTheirWay : public testing::Test {
 protected:
  const std::int32_t* queue(std::int32_t first) {
    const std::int32_t labels[kLabels] = {first, first + 1, first + 2};
    const std::int32_t* held = labels_.hold(labels);
    labels_.copied();
    return held;
  }

  FakeStreams streams_;
  int allocated_ = 0;
  PinnedLabels labels_{streams_, kLabels, [this] {
                         ++allocated_;
                         return std::make_shared<std::int32_t[]>(kLabels);
                       }};
};

TEST_F(LabelsOnTheirWay, StayUntilTheyAreCopied) {
  const std::int32_t* const first = queue(10);
  queue(20);
  queue(30);
  EXPECT_EQ(first[0], 10);
  EXPECT_EQ(first[2], 12);
  EXPECT_EQ(allocated_, 3) << "nothing was copied yet";
}

TEST_F(LabelsOnTheirWay, TakeTurnsInTwoBuffersWhereCopiesKeepUp) {
  for (std::int32_t step = 0; step < 10; ++step) {
    EXPECT_EQ(queue(step)[1], step + 1);
    streams_.run(kInputStream);
  }
  EXPECT_EQ(allocated_, 2);
  EXPECT_LE(streams_.open_events(), 2u);
}

}  // namespace
}  // namespace convoy::cuda
