#pragma once

#include <optional>

#include "core/runtime/peers.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy {

// When the workers of an asynchronous run meet, for a pause or for good: what this host wants, and
// what all have agreed to. Of the training loop's thread.
class Meeting {
 public:
  // Both must outlive it. `peers` is null for a run of one process, which agrees with itself.
  Meeting(Peers* peers, const TrainingEvents& events) : peers_(peers), events_(events) {}

  // Asks whether somebody wants this host to stop or to save, and tells the others.
  void hear();
  bool wants_to_stop() const { return wants_to_stop_; }
  // Whether all are to meet now, and if so whether for good, given what this host sees: that the
  // run is over, or that a pause is due.
  std::optional<bool> agreed(bool is_over, bool is_pause_due);
  // All have met, and act. Returns whether somebody has asked for a checkpoint, on any host.
  bool someone_asked_to_save();
  // The next one may come.
  void finish();

 private:
  void ask_to_end();
  void ask_to_pause();

  Peers* peers_;
  const TrainingEvents& events_;
  bool wants_to_stop_ = false;
  bool wants_to_save_ = false;
  bool asked_to_end_ = false;
  bool asked_to_pause_ = false;
};

}  // namespace convoy
