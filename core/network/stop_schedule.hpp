#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/network/messages.hpp"

namespace convoy::network {

// A stop that all tasks know of. Each task ends the work that it has submitted and acts on the
// stop.
struct AgreedStop {
  std::int64_t stop = 0;
  std::string reason;
};

// A task's part of agreed stops: the stops that it has not acted on. Only one thread may use it at
// a time.
class StopSchedule {
 public:
  void begin() { *this = StopSchedule(); }
  StopAnswer consider(const StopProposal& proposal);
  void agree(const StopAgreed& agreed);
  // The oldest agreed stop that the task has not acted on.
  std::optional<AgreedStop> agreed() const;
  // Records that the task has acted on the stop.
  void finish(std::int64_t stop);

 private:
  struct Entry {
    AgreedStop stop;
    bool agreed = false;
  };
  std::deque<Entry> entries_;
};

}  // namespace convoy::network
