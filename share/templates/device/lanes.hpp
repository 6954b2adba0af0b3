// The queues of a device: the host submits operations to lanes, a thread runs them.
#pragma once

#include <convoy/abi.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

// Every lane runs its operations in order, each when its waits hold. There is no other order
// between lanes. One thread serves all of them. After a failure, operations are skipped, but
// timelines still advance, so that nothing waits for ever.
class Lanes {
 public:
  static constexpr std::uint32_t kCount = 5;

  explicit Lanes(std::function<void(const convoy_submission&)> run);
  ~Lanes();  // runs the queued operations first
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  void submit(const convoy_submission& submission);
  // Whether the timeline reached the value within `seconds`. Throws the text of the first failure.
  bool wait(const convoy_wait& point, double seconds);

 private:
  void serve();
  const convoy_submission* take_ready();
  void execute(const convoy_submission& submission);

  std::function<void(const convoy_submission&)> run_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable submitted_;
  std::array<std::deque<const convoy_submission*>, kCount> queues_;
  std::optional<std::string> failure_;
  bool closing_ = false;
  std::thread thread_;  // last, because it uses everything above
};

// Returns seconds on the clock of this device.
double now_seconds();
