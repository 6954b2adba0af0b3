#include "plugins/devices/cuda/graphs/replayed_segments.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"

namespace convoy::cuda {
namespace {

// Keeps a diary instead of graphs.
class DiaryDriver : public GraphDriver {
 public:
  void begin(cudaStream_t) override { diary += "begin "; }
  Graph end(cudaStream_t) override {
    diary += "end ";
    if (refuses) return nullptr;
    ++alive;
    return reinterpret_cast<Graph>(static_cast<std::uintptr_t>(++made));
  }
  void launch(Graph graph, cudaStream_t) override {
    diary += "launch" + std::to_string(reinterpret_cast<std::uintptr_t>(graph)) + " ";
  }
  void destroy(Graph) override { --alive; }

  std::string diary;
  bool refuses = false;
  int made = 0;
  int alive = 0;
};

class ReplayedSegment : public testing::Test {
 protected:
  std::string run(const void* parameters = nullptr, std::size_t segment = 0, bool forward = true) {
    driver_.diary.clear();
    GraphKey key;
    key.parameters = parameters;
    segments_->run({forward, segment}, key, nullptr, [this] {
      driver_.diary += "queue ";
      if (throws_) throw std::runtime_error("bad shape");
    });
    return driver_.diary;
  }

  DiaryDriver driver_;
  std::unique_ptr<ReplayedSegments> segments_ = std::make_unique<ReplayedSegments>(driver_);
  bool throws_ = false;
};

TEST_F(ReplayedSegment, RunsAsItIsThenIsRecordedThenReplayed) {
  EXPECT_EQ(run(), "queue ");
  EXPECT_EQ(run(), "begin queue end launch1 ");
  EXPECT_EQ(run(), "launch1 ");
  EXPECT_EQ(run(nullptr, 1), "queue ") << "another segment";
  EXPECT_EQ(run(nullptr, 0, false), "queue ") << "another pass";
  EXPECT_EQ(run(), "launch1 ");
  segments_.reset();
  EXPECT_EQ(driver_.alive, 0);
}

TEST_F(ReplayedSegment, IsRecordedAnewForOtherAddresses) {
  const float a = 0, b = 0;
  EXPECT_EQ(run(&a), "queue ");
  EXPECT_EQ(run(&b), "queue ");
  EXPECT_EQ(run(&a), "begin queue end launch1 ");
  EXPECT_EQ(run(&b), "begin queue end launch2 ");
  EXPECT_EQ(run(&a), "launch1 ");
  EXPECT_EQ(run(&b), "launch2 ");
}

TEST_F(ReplayedSegment, RunsAsItIsWhenAddressesNeverRepeat) {
  const float all[6] = {};
  for (const float& it : all) EXPECT_EQ(run(&it), "queue ");
  EXPECT_EQ(run(&all[5]), "queue ") << "no more than four are kept";
  EXPECT_EQ(run(&all[3]), "begin queue end launch1 ");
}

TEST_F(ReplayedSegment, RunsAsItIsWhereTheDriverRefuses) {
  driver_.refuses = true;
  EXPECT_EQ(run(), "queue ");
  EXPECT_EQ(run(), "begin queue end queue ");
  EXPECT_EQ(run(), "queue ") << "it is not tried again";
}

TEST_F(ReplayedSegment, TellsAFailureInItsOwnWordsAndEndsTheRecording) {
  run();
  throws_ = true;
  try {
    run();
    FAIL() << "the failure was not told";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "bad shape");
  }
  EXPECT_EQ(driver_.diary, "begin queue end queue ");
  EXPECT_EQ(driver_.alive, 0);
}

TEST(GraphEligibility, CountsWhatIsReplayedAndNamesWhatIsNot) {
  const std::string images = "images move", dropout = "dropout draws";
  EXPECT_EQ(replay_remark({images, "", dropout, ""}, {"", "", dropout, ""}),
            "CUDA graphs replay 5 of 8 layer operations of a step; not 2: dropout draws; not 1: "
            "images move");
}

TEST(GraphEligibility, TakesAutoOnAndOff) {
  EXPECT_EQ(graph_mode("on"), GraphMode::kOn);
  EXPECT_EQ(graph_mode("off"), GraphMode::kOff);
  EXPECT_EQ(graph_mode("auto"), GraphMode::kOff);
  EXPECT_THROW(graph_mode("perhaps"), std::invalid_argument);
}

}  // namespace
}  // namespace convoy::cuda
