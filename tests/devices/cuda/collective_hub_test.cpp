#include "plugins/devices/cuda/collectives/collective_hub.hpp"

#include <gtest/gtest.h>

#include <array>
#include <convoy/device.hpp>
#include <future>
#include <numeric>
#include <set>
#include <thread>

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "tests/devices/cuda/fake_nccl.hpp"

namespace convoy::cuda {
namespace {

using fake_nccl::world;

// GPUs 0 to 2 whose memory is known by address. Events are reached at once, but for those of which
// a test says that they are not.
class HostStreams : public RankStreams {
 public:
  struct State {
    std::mutex mutex;
    std::vector<std::pair<const void*, int>> memory;  // first byte, in 4 KiB
    std::set<std::pair<int, int>> held;               // (GPU, its nth event) that never comes
    std::set<int> open;                               // ids of events not given back
    std::map<int, int> recorded;
    bool released = false;
  };

  explicit HostStreams(std::shared_ptr<State> state) : state_(std::move(state)) {}
  void use(int) override {}
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a number stands for a handle.
  cudaStream_t stream(int gpu) override { return reinterpret_cast<cudaStream_t>(gpu + 1); }
  int gpu_of(const void* memory) override {
    for (const auto& [first, gpu] : state_->memory)
      if (memory >= first && memory < static_cast<const char*>(first) + 4096) return gpu;
    return -1;
  }
  Event record(int gpu, cudaStream_t) override {
    const std::lock_guard lock(state_->mutex);
    const int nth = state_->recorded[gpu]++;
    const int id = 1000 * (gpu + 1) + nth;
    state_->open.insert(id);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number stands for a handle.
    return reinterpret_cast<Event>(static_cast<std::intptr_t>(id));
  }
  void wait(cudaStream_t, Event) override {}
  bool reached(Event event) override {
    const std::lock_guard lock(state_->mutex);
    const auto id = static_cast<int>(reinterpret_cast<std::intptr_t>(event));
    return state_->released || !state_->held.contains({id / 1000 - 1, id % 1000});
  }
  void give_back(int, Event event) override {
    const std::lock_guard lock(state_->mutex);
    state_->open.erase(static_cast<int>(reinterpret_cast<std::intptr_t>(event)));
  }

 private:
  std::shared_ptr<State> state_;
};

class CollectiveHubs : public testing::Test {
 protected:
  CollectiveHubs() {
    fake_nccl::reset();
    for (int gpu = 0; gpu < 3; ++gpu) {
      std::iota(memory_[gpu].begin(), memory_[gpu].end(), static_cast<float>(100 * gpu));
      state_->memory.emplace_back(memory_[gpu].data(), gpu);
    }
  }

  void open(double patience = 60) {
    hub_ = std::make_unique<CollectiveHub>(fake_nccl::functions(),
                                           std::make_unique<HostStreams>(state_),
                                           std::chrono::duration<double>(patience));
    for (int gpu = 0; gpu < 3; ++gpu) hub_->name_device(gpu, "cuda:" + std::to_string(gpu));
  }
  void all_reduce(const std::vector<int>& gpus, std::uint32_t id = 4) {
    std::vector<convoy_region> spans;
    spans.reserve(gpus.size());
    for (const int gpu : gpus) spans.push_back({memory_[gpu].data(), 4, CONVOY_F32, 0});
    convoy_submission it{};
    it.kind = CONVOY_OP_ALL_REDUCE;
    it.operation = id;
    it.step = 9;
    it.reads = it.writes = spans.data();
    it.read_count = it.write_count = spans.size();
    hub_->start(it, gpus.front(), nullptr);
  }
  // Of GPUs 0 and 1.
  void all_reduce_in(void* group) {
    convoy_region spans[] = {{memory_[0].data(), 4, CONVOY_F32, 0},
                             {memory_[1].data(), 4, CONVOY_F32, 0}};
    const std::uint32_t ranks[] = {0, 1, 0, 1};
    convoy_submission it{};
    it.kind = CONVOY_OP_ALL_REDUCE;
    it.reads = it.writes = spans;
    it.read_count = it.write_count = 2;
    it.collective_group = group;
    it.ranks = ranks;
    hub_->start(it, 0, nullptr);
  }
  // The first failure that check() throws; empty when there is none for long.
  std::string failure(bool timed_out) {
    for (int i = 0; i < 5000; ++i) {
      try {
        hub_->check();
      } catch (const TimedOut& error) {
        EXPECT_TRUE(timed_out) << error.what();
        return error.what();
      } catch (const std::exception& error) {
        EXPECT_FALSE(timed_out) << error.what();
        return error.what();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
  }

  std::array<std::array<float, 1024>, 3> memory_{};
  std::shared_ptr<HostStreams::State> state_ = std::make_shared<HostStreams::State>();
  std::unique_ptr<CollectiveHub> hub_;
};

TEST_F(CollectiveHubs, StartAllRanksInOneGroupAndSum) {
  open();
  hub_->prepare({1, 0});
  EXPECT_EQ(world().communicators, 2);
  all_reduce({0, 1});
  EXPECT_EQ(world().calls,
            (std::vector<std::string>{"all_reduce 0/2 of 4", "all_reduce 1/2 of 4"}));
  EXPECT_EQ(world().misuse, "");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(memory_[0][i], static_cast<float>(100 + 2 * i));
    EXPECT_EQ(memory_[1][i], static_cast<float>(100 + 2 * i));
  }
  EXPECT_EQ(memory_[0][4], 4.0f) << "beyond the span";
}

TEST_F(CollectiveHubs, MakeOneCommunicatorPerSetOfGpusWhateverItsOrder) {
  open();
  hub_->prepare({0, 1});
  hub_->prepare({1, 0});
  hub_->prepare({0, 2});
  all_reduce({1, 0});
  EXPECT_EQ(world().communicators, 4);
  hub_.reset();
  EXPECT_EQ(world().communicators, 0) << "destroyed, not aborted";
  EXPECT_EQ(world().aborted, 0);
}

TEST_F(CollectiveHubs, AskUntilNcclHasQueuedACollective) {
  world().questions_until_done = 7;
  open();
  all_reduce({0, 1, 2});
  EXPECT_EQ(memory_[2][0], 300.0f);
  EXPECT_EQ(world().misuse, "");
}

// A memory call between the launches of two ranks may wait for the first and keep the second out.
TEST_F(CollectiveHubs, HoldMemoryCallsBackUntilAllRanksAreStarted) {
  open();
  hub_->prepare({0, 1});
  std::future<void> memory_call;
  bool came_between = false;
  world().on_question = [&, starting = std::this_thread::get_id()] {
    if (std::this_thread::get_id() != starting || memory_call.valid()) return;
    memory_call = std::async(std::launch::async, [] { static_cast<void>(memory_turn()); });
    const auto status = memory_call.wait_for(std::chrono::milliseconds(20));
    came_between = status == std::future_status::ready;
  };
  all_reduce({0, 1});
  ASSERT_TRUE(memory_call.valid());
  EXPECT_FALSE(came_between);
  EXPECT_EQ(memory_call.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  hub_.reset();  // it asks until it is gone
}

TEST_F(CollectiveHubs, GiveEventsBackOnceRanksAreDone) {
  open();
  all_reduce({0, 1});
  all_reduce({0, 1});
  for (int i = 0; i < 5000; ++i) {
    {
      const std::lock_guard lock(state_->mutex);
      if (state_->open.empty()) break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  hub_->check();
  const std::lock_guard lock(state_->mutex);
  EXPECT_TRUE(state_->open.empty());
}

// Of GPU 0: the lane's event, then that a rank begins, then that it is done.
TEST_F(CollectiveHubs, NameTheRanksThatWaitWhenOneDoesNotCome) {
  state_->held = {{0, 2}, {1, 0}, {1, 1}, {2, 1}};
  world().on_abort = [this] {
    const std::lock_guard lock(state_->mutex);
    state_->released = true;
  };
  open(0.02);
  all_reduce({0, 1, 2}, 17);
  const std::string text = failure(true);
  EXPECT_NE(
      text.find("operation 17 (all_reduce of 4 elements, step 9) did not end within 0 s: rank 0 "
                "(cuda:0), rank 2 (cuda:2) wait in it, not there yet: rank 1 (cuda:1);"),
      std::string::npos)
      << text;
  hub_.reset();
  EXPECT_EQ(world().aborted, 3);
  EXPECT_EQ(world().communicators, 0);
}

TEST_F(CollectiveHubs, LetWhatComesBeforeACollectiveTakeItsTime) {
  for (int gpu = 0; gpu < 3; ++gpu)
    for (int nth = 0; nth < 3; ++nth) state_->held.insert({gpu, nth});
  open(0.01);
  all_reduce({0, 1});
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_NO_THROW(hub_->check()) << "no rank has begun";
  const std::lock_guard lock(state_->mutex);
  state_->released = true;
}

TEST_F(CollectiveHubs, TellAnErrorThatNcclReportsLater) {
  state_->held = {{0, 2}, {1, 1}};
  open();
  all_reduce({0, 1}, 5);
  fake_nccl::set_state(ncclSystemError);
  EXPECT_EQ(
      failure(false),
      "a collective among cuda:0, cuda:1 failed: NCCL says unhandled system error; the oldest "
      "that had not ended: operation 5 (all_reduce of 4 elements, step 9)");
  EXPECT_THROW(all_reduce({0, 1}), std::runtime_error) << "nothing starts any more";
}

TEST_F(CollectiveHubs, CountALostPeerAsATimeout) {
  open();
  hub_->prepare({0, 1});
  world().next_call = ncclRemoteError;
  EXPECT_THROW(all_reduce({0, 1}), TimedOut);
  EXPECT_EQ(failure(true),
            "starting a collective: NCCL says remote process exited (the cable is loose); "
            "NCCL_DEBUG=WARN in the environment makes it say more");
  hub_.reset();
  EXPECT_EQ(world().aborted, 2);
}

// With all its ranks in this process: the fake NCCL has no other ones.
SpanningGroup group_of(CollectiveHub& hub, double seconds) {
  return {hub.make_id(), 2, {0, 1}, {0, 1}, seconds, [] { return false; }};
}

TEST_F(CollectiveHubs, RunACollectiveOfAGroupOnItsOwnCommunicator) {
  open();
  void* const group = hub_->open_group(group_of(*hub_, 60));
  EXPECT_EQ(world().communicators, 2);
  all_reduce_in(group);
  EXPECT_EQ(memory_[1][0], 100.0f);
  EXPECT_EQ(world().communicators, 2) << "no other one was made";
  hub_->close_group(group);
  EXPECT_EQ(world().communicators, 0);
  EXPECT_EQ(world().aborted, 0);
}

TEST_F(CollectiveHubs, GiveUpOnACollectiveOfAGroupThatDoesNotEnd) {
  state_->held = {{0, 2}, {1, 1}};
  world().on_abort = [this] {
    const std::lock_guard lock(state_->mutex);
    state_->released = true;
  };
  open(0.02);
  void* const group = hub_->open_group(group_of(*hub_, 0.02));
  all_reduce_in(group);
  const std::string text = failure(true);
  EXPECT_TRUE(
      text.starts_with("operation 0 (all_reduce of 4 elements, step 0) did not end within 0 "
                       "s: rank 0 (cuda:0), rank 1 (cuda:1) wait in it; "))
      << text;
  hub_->close_group(group);
  EXPECT_EQ(world().communicators, 0);
}

// NCCL connects processes in the first collective that needs a link, before it is queued or inside.
TEST_F(CollectiveHubs, GiveTheFirstCollectiveOfAGroupTheTimeOfJoiningToConnect) {
  open(0);
  void* const group = hub_->open_group(group_of(*hub_, 60));
  world().questions_until_done = 100;
  state_->held = {{0, 2}, {1, 1}};
  EXPECT_NO_THROW(all_reduce_in(group)) << "NCCL is asked again and again";
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_NO_THROW(hub_->check());
  {
    const std::lock_guard lock(state_->mutex);
    state_->held = {{0, 5}, {1, 3}};  // of the next one
  }
  world().questions_until_done = 0;
  all_reduce_in(group);
  EXPECT_NE(failure(true), "") << "it need not connect any more";
  hub_->close_group(group);
}

TEST_F(CollectiveHubs, AbortWhatIsInterrupted) {
  open();
  void* const group = hub_->open_group(group_of(*hub_, 60));
  hub_->interrupt("worker 1 is lost");
  EXPECT_EQ(failure(true), "worker 1 is lost");
  hub_->close_group(group);
  EXPECT_EQ(world().communicators, 0);
  EXPECT_EQ(world().aborted, 2);
}

// What runs in one may wait for what runs in another, of which NCCL's authors say that it hangs.
TEST_F(CollectiveHubs, TellAllCommunicatorsToStopBeforeTheMemoryOfOneIsFreed) {
  open();
  hub_->prepare({0, 1});
  hub_->prepare({1, 2});
  void* const group = hub_->open_group(group_of(*hub_, 60));
  hub_->interrupt("worker 1 is lost");
  EXPECT_EQ(failure(true), "worker 1 is lost");
  hub_->close_group(group);
  hub_.reset();
  EXPECT_EQ(world().aborted, 6);
  EXPECT_EQ(world().communicators, 0);
  EXPECT_EQ(world().misuse, "");
}

// NCCL frees memory then.
TEST_F(CollectiveHubs, CloseAGroupOnlyWhenNoRanksOfAnotherAreStarted) {
  open();
  hub_->prepare({0, 1});
  void* const group = hub_->open_group(group_of(*hub_, 60));
  std::future<void> closing;
  bool came_between = false;
  world().on_question = [&, starting = std::this_thread::get_id()] {
    if (std::this_thread::get_id() != starting || closing.valid()) return;
    closing = std::async(std::launch::async, [&] { hub_->close_group(group); });
    const auto status = closing.wait_for(std::chrono::milliseconds(20));
    came_between = status == std::future_status::ready;
  };
  all_reduce({0, 1});
  ASSERT_TRUE(closing.valid());
  EXPECT_FALSE(came_between);
  EXPECT_EQ(closing.wait_for(std::chrono::seconds(60)), std::future_status::ready);
  hub_.reset();  // it asks until it is gone
}

TEST_F(CollectiveHubs, StopJoiningAGroupWhenTheHostGivesUp) {
  world().questions_until_done = 1 << 30;
  open();
  SpanningGroup group = group_of(*hub_, 60);
  group.is_given_up = [] { return true; };
  EXPECT_THROW(hub_->open_group(group), TimedOut);
  EXPECT_EQ(world().communicators, 0);
}

TEST_F(CollectiveHubs, GiveUpOnNcclThatIsNeverReady) {
  world().questions_until_done = 1 << 30;
  open(0.02);
  try {
    hub_->prepare({0, 1});
    FAIL() << "made";
  } catch (const TimedOut& error) {
    EXPECT_STREQ(error.what(), "making an NCCL communicator: NCCL was not done after 0 s");
  }
  EXPECT_EQ(world().communicators, 0);
}

TEST_F(CollectiveHubs, RefuseHostMemory) {
  open();
  std::array<float, 4> host{};
  convoy_region spans[] = {{memory_[0].data(), 4, CONVOY_F32, 0}, {host.data(), 4, CONVOY_F32, 0}};
  convoy_submission it{};
  it.kind = CONVOY_OP_ALL_REDUCE;
  it.reads = it.writes = spans;
  it.read_count = it.write_count = 2;
  EXPECT_THROW(hub_->start(it, 0, nullptr), std::invalid_argument);
}

TEST(NcclVersions, AreNamedWhenTheyDoNotFit) {
  EXPECT_NO_THROW(require_nccl_version(NCCL_VERSION_CODE));
  EXPECT_NO_THROW(require_nccl_version(22205));
  for (const auto& [version, name] :
       {std::pair(2708, "2.7.8"), std::pair(21404, "2.14.4"), std::pair(30001, "3.0.1")}) {
    try {
      require_nccl_version(version);
      FAIL() << version << " was taken";
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("the NCCL found here is " + std::string(name)), std::string::npos)
          << text;
      EXPECT_NE(
          text.find("built for " + std::to_string(NCCL_MAJOR) + "." + std::to_string(NCCL_MINOR)),
          std::string::npos)
          << text;
    }
  }
}

TEST(NcclVersions, SayWhichLibraryIsMissing) {
  try {
    const NcclLibrary library({"libnccl_that_is_not_there.so.2"});
    FAIL() << "opened";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("a collective of several GPUs needs "
                        "libnccl_that_is_not_there.so.2"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace convoy::cuda
