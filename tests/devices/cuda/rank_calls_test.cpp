#include "plugins/devices/cuda/collectives/rank_calls.hpp"

#include <gtest/gtest.h>

#include <array>

#include "plugins/devices/cuda/collectives/collectives.hpp"

namespace convoy::cuda {
namespace {

// Spans of f32 on GPUs 3, 5 and 7, which are ranks 0, 1 and 2: memory i is on GPU 3 + 2 i.
class RankCallsOfThree : public testing::Test {
 protected:
  static constexpr std::uint64_t kCount = 6;

  convoy_region at(int rank, std::uint64_t count = kCount, std::uint64_t first = 0) {
    return {memory_.at(static_cast<std::size_t>(rank)).data() + first, count, CONVOY_F32, 0};
  }
  // A span of another process.
  static convoy_region elsewhere(std::uint64_t count = kCount) {
    return {nullptr, count, CONVOY_F32, 0};
  }
  // ranks: of a collective over several processes, of the reads and the writes.
  RankCalls make(std::uint32_t kind, const std::vector<convoy_region>& reads,
                 const std::vector<convoy_region>& writes,
                 const std::vector<std::uint32_t>& ranks = {}) {
    convoy_submission it{};
    it.ranks = ranks.empty() ? nullptr : ranks.data();
    it.kind = kind;
    it.operation = 17;
    it.step = 3;
    it.reads = reads.data();
    it.read_count = reads.size();
    it.writes = writes.data();
    it.write_count = writes.size();
    return make_rank_calls(it, [this](const convoy_region& region) {
      for (std::size_t rank = 0; rank < memory_.size(); ++rank) {
        const float* begin = memory_[rank].data();
        const auto* data = static_cast<const float*>(region.data);
        if (data >= begin && data < begin + memory_[rank].size())
          return 3 + 2 * static_cast<int>(rank);
      }
      return -1;
    });
  }

  std::array<std::array<float, 32>, 3> memory_{};
};

TEST_F(RankCallsOfThree, GiveEveryRankItsSpansWhateverTheirOrder) {
  const RankCalls all = make(CONVOY_OP_ALL_REDUCE, {at(2), at(0), at(1)}, {at(2), at(0), at(1)});
  EXPECT_EQ(all.gpus, (std::vector<int>{3, 5, 7}));
  ASSERT_EQ(all.calls.size(), 3u);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(all.calls[rank].rank, rank);
    EXPECT_EQ(all.calls[rank].send, memory_[rank].data());
    EXPECT_EQ(all.calls[rank].receive, memory_[rank].data());
    EXPECT_EQ(all.calls[rank].count, kCount);
  }
}

TEST_F(RankCallsOfThree, ReduceToTheRankThatWrites) {
  const RankCalls all = make(CONVOY_OP_REDUCE, {at(0), at(1), at(2)}, {at(1, kCount, 8)});
  ASSERT_EQ(all.calls.size(), 3u);
  for (const RankCall& call : all.calls) {
    EXPECT_EQ(call.root, 1u);
    EXPECT_EQ(call.receive, call.rank == 1 ? memory_[1].data() + 8 : nullptr) << call.rank;
  }
}

TEST_F(RankCallsOfThree, BroadcastFromARankThatWritesNothing) {
  const RankCalls all = make(CONVOY_OP_BROADCAST, {at(2)}, {at(0), at(1)});
  ASSERT_EQ(all.calls.size(), 3u);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(all.calls[rank].root, 2u);
    EXPECT_EQ(all.calls[rank].receive, memory_[rank].data());
  }
  EXPECT_EQ(all.calls[2].send, memory_[2].data());
}

TEST_F(RankCallsOfThree, ScatterEqualPiecesInOneCall) {
  const RankCalls all = make(CONVOY_OP_REDUCE_SCATTER, {at(0), at(1), at(2)},
                             {at(0, 2, 10), at(1, 2, 10), at(2, 2, 10)});
  ASSERT_EQ(all.calls.size(), 3u);
  EXPECT_EQ(all.calls[1].kind, std::uint32_t{CONVOY_OP_REDUCE_SCATTER});
  EXPECT_EQ(all.calls[1].count, 2u);
  EXPECT_EQ(all.calls[1].receive, memory_[1].data() + 10);
}

TEST_F(RankCallsOfThree, ScatterUnequalPiecesByOneReduceEach) {
  const RankCalls all = make(CONVOY_OP_REDUCE_SCATTER, {at(0), at(1), at(2)},
                             {at(0, 1, 10), at(1, 3, 10), at(2, 2, 10)});
  ASSERT_EQ(all.calls.size(), 9u);
  const RankCall& last = all.calls.back();
  EXPECT_EQ(last.kind, std::uint32_t{CONVOY_OP_REDUCE});
  EXPECT_EQ(last.root, 2u);
  EXPECT_EQ(last.send, memory_[2].data() + 4);
  EXPECT_EQ(last.count, 2u);
}

TEST_F(RankCallsOfThree, GatherPiecesInAnotherOrderThanTheGpusByOneBroadcastEach) {
  const RankCalls all =
      make(CONVOY_OP_ALL_GATHER, {at(1, 2, 10), at(0, 2, 10), at(2, 2, 10)}, {at(1), at(0), at(2)});
  ASSERT_EQ(all.calls.size(), 9u);
  EXPECT_EQ(all.calls[0].kind, std::uint32_t{CONVOY_OP_BROADCAST});
  EXPECT_EQ(all.calls[0].root, 1u);
  EXPECT_EQ(all.calls[3].root, 0u);
  EXPECT_EQ(all.calls[3].receive, memory_[0].data() + 2) << "the second piece of the whole";
}

// GPU 7 is rank 1 of three and GPU 3 rank 2.
TEST_F(RankCallsOfThree, AreThoseOfThisProcessWhereOthersTakePart) {
  const std::vector<convoy_region> spans{elsewhere(), at(2), at(0)};
  const RankCalls sum = make(CONVOY_OP_ALL_REDUCE, spans, spans, {0, 1, 2, 0, 1, 2});
  EXPECT_EQ(sum.gpus, (std::vector<int>{7, 3}));
  ASSERT_EQ(sum.calls.size(), 2u);
  EXPECT_EQ(sum.calls[0].rank, 0u) << "the number in this process";
  EXPECT_EQ(sum.calls[0].send, memory_[2].data());
  EXPECT_EQ(sum.calls[1].rank, 1u);
  EXPECT_EQ(sum.calls[1].receive, memory_[0].data());
  const RankCalls reduce = make(CONVOY_OP_REDUCE, spans, {elsewhere()}, {0, 1, 2, 0});
  ASSERT_EQ(reduce.calls.size(), 2u);
  for (const RankCall& call : reduce.calls) {
    EXPECT_EQ(call.root, 0u);
    EXPECT_EQ(call.receive, nullptr);
  }
}

TEST_F(RankCallsOfThree, ScatterAndGatherEqualPiecesAmongProcessesInOneCall) {
  const std::vector<convoy_region> pieces{elsewhere(2), at(2, 2, 10), at(0, 2, 10)};
  const std::vector<convoy_region> wholes{elsewhere(), at(2), at(0)};
  const std::vector<std::uint32_t> ranks{0, 1, 2, 0, 1, 2};
  const RankCalls scatter = make(CONVOY_OP_REDUCE_SCATTER, wholes, pieces, ranks);
  ASSERT_EQ(scatter.calls.size(), 2u);
  EXPECT_EQ(scatter.calls[0].kind, std::uint32_t{CONVOY_OP_REDUCE_SCATTER});
  EXPECT_EQ(scatter.calls[0].receive, memory_[2].data() + 10);
  const RankCalls gather = make(CONVOY_OP_ALL_GATHER, pieces, wholes, ranks);
  ASSERT_EQ(gather.calls.size(), 2u);
  EXPECT_EQ(gather.calls[1].send, memory_[0].data() + 10);
}

TEST_F(RankCallsOfThree, RefuseAGpuThatTakesPartTwice) {
  try {
    make(CONVOY_OP_ALL_REDUCE, {at(0), at(0, kCount, 8)}, {at(0), at(0, kCount, 8)});
    FAIL() << "taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "operation 17 (all_reduce of 6 elements, step 3) has two spans on GPU 3: NCCL takes "
        "each GPU once");
  }
}

TEST_F(RankCallsOfThree, RefuseARootThatDoesNotContribute) {
  EXPECT_THROW(make(CONVOY_OP_REDUCE, {at(0), at(1)}, {at(2)}), std::invalid_argument);
}

TEST(GroupsOfGpus, NameWhySomeCannotHaveCollectives) {
  const GroupMember first{"cuda:0", 0, "0000:17:00.0"};
  EXPECT_EQ(group_refusal({first, {"cuda:1", 1, "0000:65:00.0"}}, nullptr), "");
  EXPECT_EQ(group_refusal({first, {"cuda:1", 0, "0000:17:00.0"}}, nullptr),
            "cuda:0 and cuda:1 share GPU 0, and NCCL takes each GPU once");
  EXPECT_EQ(group_refusal({first, {"cuda:1", 1, "0000:17:00.0"}}, nullptr),
            "cuda:0 and cuda:1 are slices (MIG) of one GPU, 0000:17:00.0, and NCCL takes each GPU "
            "once");
}

TEST(GroupsOfGpus, HaveNoCollectivesWhereLaunchesBlock) {
  const GroupMember first{"cuda:0", 0, "0000:17:00.0"}, second{"cuda:1", 1, "0000:65:00.0"};
  EXPECT_EQ(group_refusal({first, second}, "1"),
            "CUDA_LAUNCH_BLOCKING=1 lets a launch wait for its end, and NCCL has to launch on all "
            "GPUs before one of them ends: unset it");
  EXPECT_EQ(group_refusal({first, second}, "0"), "");
  EXPECT_EQ(group_refusal({first}, "1"), "") << "the other ranks are launched elsewhere";
}

}  // namespace
}  // namespace convoy::cuda
