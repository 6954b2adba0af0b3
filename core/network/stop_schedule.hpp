#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/network/messages.hpp"

namespace convoy::network {

// A stop that all tasks have accepted: each submits nothing beyond `step` before it has acted.
struct AgreedStop {
  std::int64_t stop = 0;
  StopKind kind = StopKind::kAfterStep;
  std::int64_t step = 0;  // of kDrain: this task's own last one
  std::string reason;
};

// A task's part of agreed stops: what it has submitted, and which steps it holds back. Not for
// several threads at a time.
class StopSchedule {
 public:
  void begin() { *this = StopSchedule(); }
  // The step may be submitted, and counts as such from now on; or a stop comes before it.
  bool submit(std::int64_t step);
  // From an accepted proposal on, steps beyond it are held back.
  StopAnswer consider(const StopProposal& proposal);
  void agree(const StopAgreed& agreed);
  // The stop that holds back `step`, once it is agreed.
  std::optional<AgreedStop> holding(std::int64_t step) const;
  // The oldest stop of that kind that is agreed and not yet acted on.
  std::optional<AgreedStop> agreed(StopKind kind) const;
  // The task has acted on it.
  void finish(std::int64_t stop);

 private:
  struct Entry {
    AgreedStop stop;
    bool holds = false;  // accepted by this task
    bool agreed = false;
  };
  std::int64_t submitted_ = 0;
  std::deque<Entry> entries_;
};

}  // namespace convoy::network
