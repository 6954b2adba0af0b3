#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "core/network/messages.hpp"

namespace convoy::network {

// A stop that all tasks know of: each ends what it has submitted and acts on it.
struct AgreedStop {
  std::int64_t stop = 0;
  std::string reason;
};

// A task's part of agreed stops: those that it has yet to act on. Not for several threads at a
// time.
class StopSchedule {
 public:
  void begin() { *this = StopSchedule(); }
  StopAnswer consider(const StopProposal& proposal);
  void agree(const StopAgreed& agreed);
  // The oldest stop that is agreed and not yet acted on.
  std::optional<AgreedStop> agreed() const;
  // The task has acted on it.
  void finish(std::int64_t stop);

 private:
  struct Entry {
    AgreedStop stop;
    bool agreed = false;
  };
  std::deque<Entry> entries_;
};

}  // namespace convoy::network
