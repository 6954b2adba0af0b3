#include "core/runtime/network/network_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <convoy/waking.hpp>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "core/base/error.hpp"
#include "core/runtime/timeline.hpp"
#include "tests/support/in_process_network.hpp"
#include "tests/support/test_engine.hpp"

namespace convoy::testing::network_engine_test {
namespace {

using runtime::NetworkEngine;
using runtime::Timeline;
using ::testing::AllOf;
using ::testing::HasSubstr;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Devices whose operations are what a test calls so.
struct FakeDevices {
  static TimelineListeners& listeners() {
    static TimelineListeners all;
    return all;
  }
  static void advanced(const std::uint64_t* timeline, std::uint64_t value) noexcept {
    const std::lock_guard lock(mutex_);
    heard_.push_back({timeline, value});
  }
  // An operation has ended.
  static void end_operation(Timeline& timeline, std::uint64_t value) {
    std::atomic_ref<std::uint64_t>(timeline.value).store(value, std::memory_order_seq_cst);
    listeners().tell(&timeline.value, value);
  }
  static inline std::mutex mutex_;
  static inline std::vector<convoy_wait> heard_;  // from engines
  static constexpr convoy_device_waking kWaking =
      waking_detail::kTable<&FakeDevices::listeners, &FakeDevices::advanced>;
};

// One message of one end, with what its submission points to.
struct Message {
  Message(std::uint64_t elements, float value) : values(elements, value) {
    region = {values.data(), elements, CONVOY_F32, 0};
    submission.struct_size = sizeof(submission);
    submission.timing = &timing;
  }
  std::vector<float> values;
  convoy_region region{};
  convoy_timing timing{};
  convoy_submission submission{};
};

// One task: its transport, its engine and its messages to the other one.
class Task {
 public:
  Task(InProcessNetwork& network, std::uint32_t rank,
       std::uint64_t largest_message = CONVOY_MESSAGE_BYTES,
       const convoy_device_waking* waking = nullptr)
      : rank_(rank), transport_(network.open(rank)) {
    runtime::NetworkOptions options = options_of_task(rank, 2, *transport_, seconds_now);
    options.largest_message = largest_message;
    options.waking = waking;
    engine_ = std::make_unique<NetworkEngine>(std::move(options));
  }

  // Its number `operation` is also its place in the lane.
  Message& queue(bool sends, std::uint64_t elements, float value, std::uint32_t operation,
                 const std::vector<convoy_wait>& waits = {}) {
    messages_.push_back(std::make_unique<Message>(elements, value));
    waits_.push_back(std::make_unique<std::vector<convoy_wait>>(waits));
    Message& it = *messages_.back();
    it.submission.waits = waits_.back()->data();
    it.submission.wait_count = waits_.back()->size();
    (sends ? it.submission.reads : it.submission.writes) = &it.region;
    (sends ? it.submission.read_count : it.submission.write_count) = 1;
    it.submission.operation = operation;
    it.submission.step = 118;
    Timeline& timeline = sends ? sent_ : received_;
    std::uint64_t& count = sends ? sends_ : receives_;
    it.submission.timeline = &timeline.value;
    it.submission.value = ++count;
    engine_->submit({&it.submission, 1 - rank_, sends, 7});
    return it;
  }

  bool sent(std::uint64_t count, double seconds = 10) {
    return engine_->wait({&sent_.value, count}, seconds);
  }
  bool received(std::uint64_t count, double seconds = 10) {
    return engine_->wait({&received_.value, count}, seconds);
  }
  std::string failure() const {
    try {
      engine_->require_intact();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kTimeout);
      return error.what();
    }
    return "";
  }
  NetworkEngine& engine() { return *engine_; }
  void close() { engine_.reset(); }

 private:
  std::uint32_t rank_;
  std::unique_ptr<plugin::OpenTransport> transport_;
  std::vector<std::unique_ptr<Message>> messages_;
  std::vector<std::unique_ptr<std::vector<convoy_wait>>> waits_;
  Timeline sent_;
  Timeline received_;
  std::uint64_t sends_ = 0;
  std::uint64_t receives_ = 0;
  std::unique_ptr<NetworkEngine> engine_;
};

class Engines : public ::testing::TestWithParam<InProcessOptions> {
 protected:
  InProcessNetwork network_{2, GetParam()};
};

TEST_P(Engines, MoveEveryMessageInTheOrderOfItsLane) {
  Task a(network_, 0);
  Task b(network_, 1);
  constexpr std::uint32_t kMessages = 3 * runtime::NetworkLane::kMostStarted;
  std::vector<Message*> received;
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    a.queue(true, 1 + i, static_cast<float>(i), i);
    received.push_back(&b.queue(false, 1 + i, -1, i));
    b.queue(true, 5, static_cast<float>(i), i);  // the other way at the same time
    a.queue(false, 5, -1, i);
  }
  ASSERT_TRUE(b.received(kMessages));
  ASSERT_TRUE(a.received(kMessages));
  ASSERT_TRUE(a.sent(kMessages));
  ASSERT_TRUE(b.sent(kMessages));
  for (std::uint32_t i = 0; i < kMessages; ++i) {
    EXPECT_EQ(received[i]->values, std::vector<float>(1 + i, static_cast<float>(i)));
    EXPECT_LE(received[i]->timing.start, received[i]->timing.end);
    if (i > 0) {
      EXPECT_LE(received[i - 1]->timing.end, received[i]->timing.end);
    }
  }
  const std::uint64_t bytes = 4ull * kMessages * (kMessages + 1) / 2;
  EXPECT_EQ(a.engine().position().step, 118u);
  EXPECT_EQ(a.engine().position().operation, kMessages - 1);
  // Counted just after the timeline is advanced.
  const auto counted = [&] {
    return a.engine().traffic()[1].bytes_sent == bytes &&
           b.engine().traffic()[0].bytes_received == bytes &&
           b.engine().traffic()[0].bytes_sent == 20u * kMessages;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!counted() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(counted());
  EXPECT_EQ(a.failure(), "");
}

TEST_P(Engines, SendNothingBeforeTheSourceIsReadyAndTouchNoTargetThatIsNotFree) {
  Task a(network_, 0);
  Task b(network_, 1);
  Timeline source;
  Timeline target;
  a.queue(true, 10, 3, 0, {{&source.value, 1}});
  Message& received = b.queue(false, 10, -1, 0, {{&target.value, 2}});
  EXPECT_FALSE(b.received(1, 0.02));
  plugin::advance(&source.value, 1);
  EXPECT_FALSE(b.received(1, 0.02));
  EXPECT_EQ(received.values, std::vector<float>(10, -1));
  plugin::advance(&target.value, 2);
  ASSERT_TRUE(b.received(1));
  EXPECT_EQ(received.values, std::vector<float>(10, 3));
}

// An engine that nobody wakes would find the timeline when it looks again, some 45 ms later.
TEST_P(Engines, WakeUpForOperationsOfDevicesAndWakeThem) {
  FakeDevices::heard_.clear();
  Task a(network_, 0, CONVOY_MESSAGE_BYTES, &FakeDevices::kWaking);
  Task b(network_, 1);
  Timeline source;
  double quickest = 1;
  constexpr std::uint64_t kMessages = 10;
  for (std::uint64_t i = 1; i <= kMessages; ++i) {
    a.queue(true, 10, 3, static_cast<std::uint32_t>(i), {{&source.value, i}});
    b.queue(false, 10, -1, static_cast<std::uint32_t>(i));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const double begin = seconds_now();
    FakeDevices::end_operation(source, i);
    ASSERT_TRUE(a.sent(i));
    quickest = std::min(quickest, seconds_now() - begin);
  }
  EXPECT_LT(quickest, 0.02);
  a.close();
  EXPECT_TRUE(FakeDevices::listeners().is_empty());
  ASSERT_EQ(FakeDevices::heard_.size(), kMessages);
  for (std::uint64_t i = 0; i < kMessages; ++i) EXPECT_EQ(FakeDevices::heard_[i].value, i + 1);
}

TEST_P(Engines, CutWhatIsLargerThanAMessage) {
  Task a(network_, 0, 16);
  Task b(network_, 1, 16);
  std::vector<Message*> received;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Message& sent = a.queue(true, 9 + i, 0, i);
    std::iota(sent.values.begin(), sent.values.end(), static_cast<float>(100 * i));
    received.push_back(&b.queue(false, 9 + i, -1, i));
  }
  ASSERT_TRUE(b.received(3));
  ASSERT_TRUE(a.sent(3));
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::size_t e = 0; e < received[i]->values.size(); ++e)
      ASSERT_EQ(received[i]->values[e], static_cast<float>(100 * i + e)) << i;
  EXPECT_EQ(a.engine().traffic()[1].bytes_sent, 4u * (9 + 10 + 11));
}

TEST_P(Engines, AdvanceAllTimelinesWhenThePeerDiesAndSayWhere) {
  Task a(network_, 0);
  Task b(network_, 1);
  Timeline never;
  b.queue(false, 10, -1, 42);
  b.queue(false, 10, -1, 43, {{&never.value, 1}});
  b.queue(true, 10, 0, 44, {{&never.value, 1}});
  EXPECT_FALSE(b.received(1, 0.02));
  network_.kill(0, "its process has ended");
  ASSERT_TRUE(b.received(2, 1));
  ASSERT_TRUE(b.sent(1, 1));
  EXPECT_THAT(b.failure(),
              AllOf(HasSubstr("task 0 is lost at step 118, in operation 42 (receiving from it)"),
                    HasSubstr("its process has ended")));
  b.queue(false, 10, -1, 45);  // what comes later ends as well
  EXPECT_TRUE(b.received(3, 1));
}

TEST_P(Engines, WaitForAPeerAsLongAsItLives) {
  Task a(network_, 0);
  Task b(network_, 1);
  network_.stop(0);
  a.queue(true, 10, 3, 0);
  Message& received = b.queue(false, 10, -1, 0);
  EXPECT_FALSE(b.received(1, 0.3));
  EXPECT_EQ(b.failure(), "");
  network_.go_on(0);
  ASSERT_TRUE(b.received(1));
  EXPECT_EQ(received.values.front(), 3);
}

TEST_P(Engines, EndWhatIsPendingWhenSomebodyInterrupts) {
  Task a(network_, 0);
  Task b(network_, 1);
  network_.drop_after(0, 1, 1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    a.queue(true, 10, 3, i);
    b.queue(false, 10, -1, i);
  }
  ASSERT_TRUE(b.received(1));
  EXPECT_FALSE(b.received(2, 0.05));
  b.engine().interrupt("task 0 sends no heartbeats");
  ASSERT_TRUE(b.received(3, 1));
  EXPECT_EQ(b.failure(), "task 0 sends no heartbeats");
  b.engine().interrupt("another reason");  // the first one stays
  EXPECT_EQ(b.failure(), "task 0 sends no heartbeats");
}

TEST_P(Engines, TakeNoMessageOfAnotherOperation) {
  Task a(network_, 0);
  Task b(network_, 1);
  a.queue(true, 10, 3, 5);
  Message& received = b.queue(false, 10, -1, 6);
  ASSERT_TRUE(b.received(1, 2));
  EXPECT_THAT(b.failure(), HasSubstr("task 0 is lost at step 118, in operation 6"));
  EXPECT_EQ(received.values, std::vector<float>(10, -1));
}

TEST_P(Engines, DoNotMindAPeerThatClosesWhenNothingIsLeft) {
  Task a(network_, 0);
  {
    Task b(network_, 1);
    a.queue(true, 10, 3, 0);
    b.queue(false, 10, -1, 0);
    ASSERT_TRUE(b.received(1));
    ASSERT_TRUE(a.sent(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(a.failure(), "");
  a.queue(true, 10, 3, 1);
  ASSERT_TRUE(a.sent(2, 1));
  EXPECT_THAT(a.failure(), HasSubstr("task 1 is lost at step 118, in operation 1 (sending to it)"));
}

TEST_P(Engines, CloseWithoutTheirPeers) {
  Task b(network_, 1);
  b.queue(false, 10, -1, 0);
  b.queue(true, 100000, 0, 1);
  const double start = seconds_now();
  b.close();
  EXPECT_LT(seconds_now() - start, 1);
}

INSTANTIATE_TEST_SUITE_P(Network, Engines,
                         ::testing::Values(InProcessOptions{},
                                           InProcessOptions{.descriptor = false},
                                           InProcessOptions{.longest_delay = 500e-6}),
                         [](const ::testing::TestParamInfo<InProcessOptions>& it) {
                           if (!it.param.descriptor) return "WithoutDescriptor";
                           return it.param.longest_delay > 0 ? "WithDelays" : "Plain";
                         });

}  // namespace
}  // namespace convoy::testing::network_engine_test
