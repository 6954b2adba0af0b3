#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>

#include "tests/devices/device_under_test.hpp"

namespace convoy::test {
namespace {

// Kernels are plain functions: they reach the test through the data of their first write.
struct Recorder {
  std::mutex mutex;
  std::vector<int> order;
};

struct Note {
  Recorder* recorder;
  int number;
};

std::int32_t record(const convoy_region*, std::uint64_t, const convoy_region* writes,
                    std::uint64_t) {
  const auto* note = static_cast<const Note*>(writes[0].data);
  const std::lock_guard lock(note->recorder->mutex);
  note->recorder->order.push_back(note->number);
  return 0;
}

std::int32_t refuse(const convoy_region*, std::uint64_t, const convoy_region*, std::uint64_t) {
  return 42;
}

// Submissions that record their number, with memory that stays in place.
class Script {
 public:
  convoy_submission& add(int number, std::uint32_t lane, std::uint32_t urgency = 0) {
    Item& item = items_.emplace_back();
    item.note = {&recorder_, number};
    item.region = {&item.note, 1, CONVOY_U8, 0};
    item.submission = operation(CONVOY_OP_CALL, lane);
    item.submission.urgency = urgency;
    item.submission.writes = &item.region;
    item.submission.write_count = 1;
    item.submission.host_kernel = record;
    item.submission.timeline = &item.timeline;
    item.submission.value = 1;
    return item.submission;
  }
  // The submission starts when another timeline has reached a value.
  static void after(convoy_submission& submission, std::deque<convoy_wait>& waits,
                    const std::uint64_t& timeline, std::uint64_t value = 1) {
    waits.push_back({&timeline, value});
    submission.waits = &waits.back();
    submission.wait_count = 1;
  }
  std::vector<int> order() {
    const std::lock_guard lock(recorder_.mutex);
    return recorder_.order;
  }

 private:
  struct Item {
    Note note;
    convoy_region region;
    std::uint64_t timeline = 0;
    convoy_submission submission;
  };
  Recorder recorder_;
  std::deque<Item> items_;
};

void store(std::uint64_t& timeline, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(timeline).store(value, std::memory_order_release);
}

TEST(Lanes, RunTheirOperationsInOrder) {
  Script script;
  std::deque<convoy_wait> waits;
  std::uint64_t gate = 0;
  DeviceUnderTest device;
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) {
    // The first waits, the others could run: they must not overtake it.
    convoy_submission& submission = script.add(i, CONVOY_LANE_UPDATE, 100 - i);
    if (i == 0) Script::after(submission, waits, gate);
    device.submit(submission);
    expected.push_back(i);
  }
  std::uint64_t done = 0;
  convoy_submission& last = script.add(100, CONVOY_LANE_UPDATE);
  last.timeline = &done;
  device.submit(last);
  expected.push_back(100);
  EXPECT_FALSE(device.wait(done, 1, 0.02));
  store(gate, 1);
  ASSERT_TRUE(device.wait(done, 1, kPatience));
  EXPECT_EQ(script.order(), expected);
}

TEST(Lanes, TakeTheMostUrgentReadyOperationAndComputeLast) {
  Script script;
  std::deque<convoy_wait> waits;
  std::uint64_t gate = 0, done = 0;
  DeviceUnderTest device;
  const auto put = [&](int number, std::uint32_t lane, std::uint32_t urgency) {
    convoy_submission& submission = script.add(number, lane, urgency);
    Script::after(submission, waits, gate);
    device.submit(submission);
  };
  put(3, CONVOY_LANE_COMPUTE, 5);
  put(2, CONVOY_LANE_UPDATE, 5);
  put(1, CONVOY_LANE_COPY_OUT, 1);
  put(4, CONVOY_LANE_COLLECTIVE, 9);
  convoy_submission& last = script.add(5, CONVOY_LANE_COLLECTIVE, 9);
  last.timeline = &done;
  device.submit(last);
  // The device itself opens the gate, so it sees all of them ready at once.
  convoy_submission& opener = script.add(0, CONVOY_LANE_COPY_IN);
  opener.timeline = &gate;
  device.submit(opener);
  ASSERT_TRUE(device.wait(done, 1, kPatience));
  EXPECT_EQ(script.order(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(Lanes, WaitForOtherDevices) {
  Script script;
  std::deque<convoy_wait> waits;
  DeviceUnderTest first(2, 0), second(2, 1);
  constexpr std::uint64_t kRounds = 500;
  std::uint64_t ping = 0, pong = 0;
  for (std::uint64_t i = 1; i <= kRounds; ++i) {
    convoy_submission& a = script.add(static_cast<int>(2 * i), CONVOY_LANE_COMPUTE);
    a.timeline = &ping;
    a.value = i;
    Script::after(a, waits, pong, i - 1);
    first.submit(a);
    convoy_submission& b = script.add(static_cast<int>(2 * i + 1), CONVOY_LANE_COLLECTIVE);
    b.timeline = &pong;
    b.value = i;
    Script::after(b, waits, ping, i);
    second.submit(b);
  }
  ASSERT_TRUE(second.wait(pong, kRounds, kPatience));
  const std::vector<int> order = script.order();
  ASSERT_EQ(order.size(), 2 * kRounds);
  for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<int>(i) + 2);
}

TEST(Lanes, SeeATimelineThatTheHostAdvancesSilently) {
  Script script;
  std::deque<convoy_wait> waits;
  std::uint64_t gate = 0, done = 0;
  DeviceUnderTest device;
  convoy_submission& submission = script.add(1, CONVOY_LANE_COPY_IN);
  submission.timeline = &done;
  Script::after(submission, waits, gate, 7);
  device.submit(submission);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the device sleeps by now
  EXPECT_TRUE(script.order().empty());
  store(gate, 8);
  EXPECT_TRUE(device.wait(done, 1, 5.0));
}

TEST(Lanes, TakeThousandsOfOperations) {
  Script script;
  DeviceUnderTest device;
  constexpr std::uint64_t kOperations = 20000;
  std::uint64_t done[3] = {0, 0, 0};
  for (std::uint64_t i = 0; i < kOperations; ++i) {
    convoy_submission& submission =
        script.add(static_cast<int>(i), static_cast<std::uint32_t>(i % 3));
    submission.timeline = &done[i % 3];
    submission.value = i + 1;
    device.submit(submission);
  }
  for (std::uint64_t lane = 0; lane < 3; ++lane) {
    const std::uint64_t last = kOperations - 1 - (kOperations - 1 - lane) % 3;
    ASSERT_TRUE(device.wait(done[lane], last + 1, kPatience)) << "lane " << lane;
  }
  EXPECT_EQ(script.order().size(), kOperations);
}

TEST(Lanes, ReportAFailureAndLetEverybodyElseGoOn) {
  Script script;
  std::deque<convoy_wait> waits;
  DeviceUnderTest failing(2, 0), other(2, 1);
  std::uint64_t failed = 0, skipped = 0, done = 0;
  convoy_submission& bad = script.add(1, CONVOY_LANE_COMPUTE);
  bad.host_kernel = refuse;
  bad.timeline = &failed;
  convoy_submission& next = script.add(2, CONVOY_LANE_COMPUTE);
  next.timeline = &skipped;
  convoy_submission& independent = script.add(3, CONVOY_LANE_COMPUTE);
  independent.timeline = &done;
  Script::after(independent, waits, skipped);
  other.submit(independent);
  failing.submit(bad);
  failing.submit(next);
  ASSERT_TRUE(other.wait(done, 1, kPatience));
  EXPECT_EQ(script.order(), std::vector<int>{3});
  try {
    failing.wait(failed, 1, kPatience);
    FAIL() << "the failure was not reported";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("42"), std::string::npos) << error.what();
  }
}

TEST(Lanes, FinishQueuedWorkBeforeTheDeviceCloses) {
  Script script;
  std::deque<convoy_wait> waits;
  std::uint64_t gate = 0;
  std::thread opener;
  {
    DeviceUnderTest device;
    for (int i = 0; i < 1000; ++i) {
      convoy_submission& submission = script.add(i, CONVOY_LANE_UPDATE);
      Script::after(submission, waits, gate);
      device.submit(submission);
    }
    opener = std::thread([&gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      store(gate, 1);
    });
  }
  opener.join();
  EXPECT_EQ(script.order().size(), 1000u);
}

TEST(Lanes, MeasureOperationsOnTheDevicesClock) {
  Script script;
  DeviceUnderTest device;
  convoy_timing timing{-1.0, -1.0};
  const double before = device.open().now();
  convoy_submission& submission = script.add(1, CONVOY_LANE_COMPUTE);
  submission.timing = &timing;
  device.run(submission);
  EXPECT_LE(before, timing.start);
  EXPECT_LE(timing.start, timing.end);
  EXPECT_LE(timing.end, device.open().now());
}

TEST(Devices, ShareCoresWithANoticeWhenThereAreTooFew) {
  const std::uint32_t many = std::thread::hardware_concurrency() + 1;
  DeviceUnderTest first(many, 0);
  ASSERT_EQ(first.log.size(), 1u);
  const std::string start = "cpu:0 to cpu:" + std::to_string(many - 1) + " have more threads than";
  EXPECT_EQ(first.log[0].find(start), 0u) << first.log[0];
  const DeviceUnderTest last(many, many - 1);
  EXPECT_TRUE(last.log.empty()) << last.log[0];
}

TEST(Devices, GiveZeroedAlignedMemory) {
  DeviceUnderTest device;
  void* memory = device.open().allocate(1000003);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
  const auto* bytes = static_cast<const unsigned char*>(memory);
  for (std::size_t i = 0; i < 1000003; ++i) ASSERT_EQ(bytes[i], 0) << i;
  device.open().deallocate(memory);
}

}  // namespace
}  // namespace convoy::test
