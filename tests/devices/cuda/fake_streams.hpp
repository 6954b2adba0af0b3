#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// Streams whose work happens when a test says so: every stream is a queue of events to reach and
// events of others to wait for.
class FakeStreams : public StreamDriver {
 public:
  void begin_thread() override {}
  Event record(std::uint32_t lane) override;
  void wait(std::uint32_t lane, Event event) override;
  bool reached(Event event) override;
  double time(Event event) override;
  std::optional<double> marked_time(Event) override { return std::nullopt; }
  void give_back(Event event) override;

  // Runs the streams as far as their waits allow, `lane` alone or all.
  void run(std::uint32_t lane);
  void run_all();
  // From now on the device answers every question with a failure.
  void break_down() { broken_ = true; }
  std::size_t open_events();
  // In which order operations' ends were queued on a stream.
  std::size_t queued(std::uint32_t lane);

 private:
  struct Mark {
    bool reached = false;
    double time = 0;
  };
  struct Entry {
    Mark* mark;
    bool waits;
  };

  bool step(std::uint32_t lane);

  std::mutex mutex_;
  std::deque<Mark> marks_;
  std::array<std::deque<Entry>, kStreams> streams_;
  std::array<std::size_t, kStreams> queued_{};
  std::size_t open_ = 0;
  double clock_ = 0;
  std::atomic<bool> broken_{false};
};

}  // namespace convoy::cuda
