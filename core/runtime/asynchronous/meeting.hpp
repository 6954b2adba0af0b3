#pragma once

#include <optional>

#include "core/runtime/network/peers.hpp"
#include "core/runtime/training_loop.hpp"

namespace convoy::runtime {

// Decides when the workers of an asynchronous run meet, for a pause or for the end. It combines the
// wish of this host with the agreement of all hosts. Only the training loop's thread may use it.
class Meeting {
 public:
  // Both must outlive it. `peers` is null for a run of one process, which needs no agreement.
  Meeting(Peers* peers, const TrainingEvents& events) : peers_(peers), events_(events) {}

  // Asks whether this host is requested to stop or to save, and notifies the others.
  void hear();
  bool wants_to_stop() const { return wants_to_stop_; }
  // Whether all hosts meet now, and if so, whether for the end. The arguments are this host's view:
  // the run is over, or a pause is due.
  std::optional<bool> agreed(bool is_over, bool is_pause_due);
  // Call it when all hosts have met. Returns whether any host was asked for a checkpoint.
  bool someone_asked_to_save();
  // Ends this meeting. The next one may then begin.
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

}  // namespace convoy::runtime
