#pragma once

#include <convoy/abi.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <thread>

namespace convoy::testing {

// Whether a timeline has reached a value.
bool reached(const convoy_wait& point);
// Sleeps until a lane advances the timeline, a fraction of a millisecond at most.
void wait_briefly(const convoy_wait& point);

// One queue of a fake device: a thread that runs its operations in order, each when its waits hold,
// sleeping at random before and after. It hears of timelines that are not of lanes only by looking
// at them, as a GPU's stream would.
class FakeLane {
 public:
  using Execute = std::function<void(const convoy_submission&)>;

  FakeLane(Execute execute, std::uint64_t seed, double longest_delay_seconds);
  ~FakeLane();  // runs what is queued
  FakeLane(const FakeLane&) = delete;
  FakeLane& operator=(const FakeLane&) = delete;

  void submit(const convoy_submission& submission);

 private:
  void serve();
  const convoy_submission* next();
  void delay();

  Execute execute_;
  std::mt19937_64 random_;
  double longest_delay_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<const convoy_submission*> queue_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace convoy::testing
