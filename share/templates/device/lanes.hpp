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

// Every lane runs its operations in order, each when its waits hold; between lanes there is no
// other order. One thread serves all of them. After a failure nothing is run any more, but
// timelines go on, so that nobody waits for ever.
class Lanes {
 public:
  static constexpr std::uint32_t kCount = 5;

  explicit Lanes(std::function<void(const convoy_submission&)> run);
  ~Lanes();  // runs what is queued
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  void submit(const convoy_submission& submission);
  // Whether the timeline reached the value in that time. Throws the text of the first failure.
  bool wait(const convoy_wait& point, double seconds);

 private:
  void serve();
  const convoy_submission* take_ready();
  void execute(const convoy_submission& submission);

  std::function<void(const convoy_submission&)> run_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable submitted_;
  std::array<std::deque<const convoy_submission*>, kCount> queues_;
  std::optional<std::string> failure_;
  bool closing_ = false;
  std::thread thread_;  // last: it uses everything above
};

// Seconds on the clock of this device.
double now_seconds();
