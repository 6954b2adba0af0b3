#pragma once

#include <convoy/abi.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "plugins/devices/cpu/lanes/doorbell.hpp"
#include "plugins/devices/cpu/lanes/submission_queue.hpp"

namespace convoy::cpu {

inline constexpr std::size_t kLanes = 5 * CONVOY_PRIORITIES;

// One thread that serves all lanes of a device. It runs the most urgent operation whose waits hold,
// non-compute lanes first among equals. After the first failure operations are skipped, but their
// timelines still advance, so that no other device hangs.
class LaneEngine {
 public:
  struct Hooks {
    std::function<void()> start;  // runs on the new thread, before anything else
    std::function<void(const convoy_submission&)> execute;
    std::function<void()> finish;  // runs on that thread, after everything else
    bool spin = true;              // false when the cores are shared with others
  };

  explicit LaneEngine(Hooks hooks);
  ~LaneEngine();  // waits for submitted work
  LaneEngine(const LaneEngine&) = delete;
  LaneEngine& operator=(const LaneEngine&) = delete;

  void submit(const convoy_submission& submission);
  // Runs work on the device's thread between two operations; rethrows its exceptions.
  void call(const std::function<void()>& work);
  // See convoy_device.wait; throws the text of the first failure.
  bool wait(const convoy_wait& point, double seconds);

 private:
  void serve();
  void serve_call();
  const convoy_submission* next_ready();
  bool is_empty() const;
  void run(const convoy_submission& submission);
  void record_failure(const std::exception_ptr& error);
  void idle_until_change(std::uint32_t epoch, int& idle_rounds);

  Hooks hooks_;
  std::shared_ptr<Doorbells> doorbells_;
  Doorbell& doorbell_;  // of the device's thread
  std::array<SubmissionQueue, kLanes> queues_;
  std::atomic<bool> closing_{false};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards the members below
  std::condition_variable call_done_;
  const std::function<void()>* pending_call_ = nullptr;
  std::exception_ptr call_error_;
  bool call_finished_ = false;
  std::string failure_;
  std::atomic<bool> has_call_{false};
  std::mutex one_call_;
  std::thread thread_;
};

}  // namespace convoy::cpu
