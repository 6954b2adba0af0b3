#include "plugins/devices/cuda/programs/input_buffers.hpp"

#include <gtest/gtest.h>

#include "tests/devices/cuda/fake_streams.hpp"

namespace convoy::cuda {
namespace {

constexpr std::uint32_t kCompute = CONVOY_LANE_COMPUTE;

// Steps of a program whose copies and computations leave a mark when they are done.
class InputBuffersOfSteps : public testing::Test {
 protected:
  struct Step {
    const void* memory = nullptr;
    StreamDriver::Event copied = nullptr;    // on the input stream
    StreamDriver::Event computed = nullptr;  // on the lane
  };

  Step queue() {
    Step step;
    step.memory =
        input_.bring([&](void*) { step.copied = streams_.record(kInputStream); }, kCompute);
    input_.release(kCompute);
    step.computed = streams_.record(kCompute);
    return step;
  }

  FakeStreams streams_;
  char memory_[2] = {};
  InputBuffers input_{streams_, {&memory_[0], &memory_[1]}};
};

TEST_F(InputBuffersOfSteps, CopyTheNextBatchWhileOneIsComputed) {
  const Step first = queue();
  const Step second = queue();
  EXPECT_NE(first.memory, second.memory);
  streams_.run(kInputStream);
  EXPECT_TRUE(streams_.reached(second.copied)) << "the lane has not even begun";
  EXPECT_FALSE(streams_.reached(first.computed));
}

TEST_F(InputBuffersOfSteps, ComputeOnlyWhatHasCome) {
  const Step first = queue();
  streams_.run(kCompute);
  EXPECT_FALSE(streams_.reached(first.computed)) << "its images are not there";
  streams_.run(kInputStream);
  streams_.run(kCompute);
  EXPECT_TRUE(streams_.reached(first.computed));
  EXPECT_LT(streams_.time(first.copied), streams_.time(first.computed));
}

TEST_F(InputBuffersOfSteps, OverwriteOnlyWhatHasBeenRead) {
  const Step first = queue();
  queue();
  const Step third = queue();
  EXPECT_EQ(third.memory, first.memory);
  streams_.run(kInputStream);
  EXPECT_FALSE(streams_.reached(third.copied)) << "the first batch may still be read";
  streams_.run(kCompute);
  streams_.run(kInputStream);
  EXPECT_TRUE(streams_.reached(third.copied));
  EXPECT_LT(streams_.time(first.computed), streams_.time(third.copied));
}

}  // namespace
}  // namespace convoy::cuda
