#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/network/liveness.hpp"

namespace convoy::network {

// What a task's end is known by, the surest first.
enum class CauseKind : int { kReport = 0, kClosed = 1, kSilence = 2 };

struct Cause {
  CauseKind kind = CauseKind::kReport;
  int rank = -1;  // of the task that ended
  TimePoint at;
  std::string text;                    // the whole line that every task prints
  ExitCode code = ExitCode::kTimeout;  // with which every task ends
};

// Picks the first cause among those that come close together: when one task ends, others fail for
// it a moment later. A task's own report counts before a closed connection, and that before
// silence; among equals the earliest. Not for several threads at a time.
class FirstCause {
 public:
  void add(Cause cause) { causes_.push_back(std::move(cause)); }
  bool empty() const { return causes_.empty(); }
  // The cause, as soon as causes had time to come in.
  std::optional<Cause> decide(TimePoint now) const;
  void clear() { causes_.clear(); }

 private:
  std::vector<Cause> causes_;
};

}  // namespace convoy::network
